import ArgumentParser
import CommandLine
import LinuxSupport

/// The authenticator's commands.
struct AuthenticatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authenticator",
        summary: "Act as the authenticator: the device that has the passkeys.",
        details: """
            example:
              hybrid authenticator answer -
              hybrid authenticator listen \\
                --tunnel wss://tunnel.example.org
            """,
        subcommands: [AnswerCommand.self, ListenCommand.self, AuthenticatorLinksCommand.self])
}
