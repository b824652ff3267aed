import ArgumentParser
import CommandLine
import LinuxSupport

/// The client's commands.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        summary: "Act as the client: show a QR code, and use passkeys of another device.",
        details: """
            example:
              hybrid client register --rp-id example.com --user alice
              hybrid client sign-in --rp-id example.com

            register and sign-in are their own relying party: they make the challenge and verify the response. \
            create and get take a site's options as JSON, and print the response for the site.
            """,
        subcommands: [
            RegisterCommand.self, SignInCommand.self, PageCommand<PageCreation>.self, PageCommand<PageSignIn>.self,
            DigitalCredentialCommand.self, ServeBrowserCommand.self, BrowserHostCommand.self, ClientLinksCommand.self,
        ])
}
