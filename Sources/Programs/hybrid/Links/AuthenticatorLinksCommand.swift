import ArgumentParser
import CommandLine
import HybridProtocol
import HybridTransport
import LinuxSupport

/// The commands for the authenticator's links.
struct AuthenticatorLinksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        summary: "Manage the clients that can ask without a QR code.",
        details: """
            example:
              hybrid authenticator links list
              hybrid authenticator links revoke 3f9a01c2

            `authenticator answer` links a client, if the client offers it and you agree.
            """,
        subcommands: [List.self, Revoke.self])

    /// Lists them.
    struct List: ConfigurableCommand {
        static let configurable: [any ParsableArguments.Type] = [LinkedClientsOption.self]
        static let configuration = CommandConfiguration(
            commandName: "list",
            summary: "List the linked clients: name, when linked, when last used.",
            details: """
                example:
                  hybrid authenticator links list --json
                """)

        @OptionGroup var place: LinkedClientsOption
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let reporter = output.reporter()
            try await runCommand(reporter) {
                let entries = try place.file().contents()?.entries ?? []
                reporter.list(entries.map(LinkLine.init), orSay: "no client is linked")
            }
        }
    }

    /// Revokes one.
    struct Revoke: ConfigurableCommand {
        static let configurable: [any ParsableArguments.Type] = [LinkedClientsOption.self]
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            summary: "Revoke a link permanently: its client needs a QR code from then on.",
            details: """
                example:
                  hybrid authenticator links revoke 3f9a01c2

                A running listener learns of the revocation within seconds. The client learns of it the next time that \
                it asks while a listener runs.
                """)

        @OptionGroup var link: LinkArgument
        @OptionGroup var place: LinkedClientsOption
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let reporter = output.reporter()
            try await runCommand(reporter) {
                let file = try place.file()
                let entry = try link.choose(among: file.contents()?.entries ?? [], by: \.linkID.bytes)
                try file.revoke(entry.linkID)
                let line = LinkLine(entry)
                reporter.write(Line("result", ["removed": line.id]), orSay: "revoked \(line.summary)")
            }
        }
    }
}
