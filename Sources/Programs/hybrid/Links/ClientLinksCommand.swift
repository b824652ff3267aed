import ArgumentParser
import CommandLine
import Encodings
import HybridTransport
import LinuxSupport

/// The commands for the client's links.
struct ClientLinksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        summary: "Manage the devices that are asked without a QR code.",
        details: """
            example:
              hybrid client links list
              hybrid client links forget 3f9a01c2

            A device is linked with `client register --link` or `client sign-in --link`, if its user agrees.
            """,
        subcommands: [List.self, Forget.self])

    /// Lists them.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            summary: "List the linked devices: name, when linked, when last used.",
            details: """
                example:
                  hybrid client links list --json
                """)

        @OptionGroup var place: LinkFileOption
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let reporter = output.reporter()
            try await runCommand(reporter) {
                reporter.list(try place.file().links().map(LinkLine.init), orSay: "no device is linked")
            }
        }
    }

    /// Forgets one.
    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            summary: "Forget a linked device: from then on it needs a QR code.",
            details: """
                example:
                  hybrid client links forget 3f9a01c2

                The device is not told: if the link is no longer needed, revoke it there too.
                """)

        @OptionGroup var link: LinkArgument
        @OptionGroup var place: LinkFileOption
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let reporter = output.reporter()
            try await runCommand(reporter) {
                let file = try place.file()
                let entry = try link.choose(among: file.links(), by: \.id)
                try file.forget(entry.id)
                let line = LinkLine(entry)
                reporter.write(Line("result", ["removed": line.id]), orSay: "forgot \(line.summary)")
            }
        }
    }
}

/// A link as it is named on the command line: the first digits of its ID.
struct LinkArgument: ParsableArguments {
    @Argument(help: .saying("The link: its ID, or enough of its first digits, as list shows them."))
    var id: String

    /// The link that is meant.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    func choose<Entry>(among entries: [Entry], by bytes: (Entry) -> [UInt8]) throws -> Entry {
        let digits = id.lowercased()
        let found = digits.isEmpty ? [] : entries.filter { Hexadecimal.encode(bytes($0)).hasPrefix(digits) }
        guard let entry = found.first else {
            throw Failure.usage("there is no link \(id)", hint: "links list shows what there is")
        }
        guard found.count == 1 else {
            throw Failure.usage("\(found.count) links begin with \(id)", hint: "give more of the ID's digits")
        }
        return entry
    }
}
