import ArgumentParser

/// The client's commands.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Be the client: show a QR code and use what another device has.",
        discussion: """
            example:
              hybrid client register --rp-id example.com --user alice
              hybrid client sign-in --rp-id example.com

            For passkeys, the client is its own relying party: it makes the challenge and verifies what comes back.
            """,
        subcommands: [
            RegisterCommand.self, SignInCommand.self, DigitalCredentialCommand.self, ClientLinksCommand.self,
        ])
}
