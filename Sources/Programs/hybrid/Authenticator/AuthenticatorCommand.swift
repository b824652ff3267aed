import ArgumentParser

/// The authenticator's commands.
struct AuthenticatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authenticator",
        abstract: "Act as the authenticator: the device that has the passkeys.",
        discussion: """
            example:
              hybrid authenticator answer -
              hybrid authenticator listen \\
                --tunnel wss://tunnel.example.org
            """,
        subcommands: [AnswerCommand.self, ListenCommand.self, AuthenticatorLinksCommand.self])
}
