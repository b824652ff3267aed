import ArgumentParser

/// Explains a piece of the protocol in words.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Explain a QR code, an advert, a CBOR item, a tunnel domain or a rule of the protocol in words.",
        discussion: """
            example:
              hybrid inspect FIDO:/5506905332…
              hybrid inspect 90b77a82f828114662dc2cf9c7d5a379ccfeb0b2
              hybrid inspect cable.wufkweyy3uaxb.com
              hybrid inspect a3010203044105
              hybrid inspect HT-ADV-3

            What it is, is guessed: FIDO:/ is a QR code, up to five digits or a name that starts with "cable." a \
            tunnel domain, 20 bytes of hexadecimal an advert, 16 that start with zero an advert's plaintext, a map \
            with the keys of a QR code its contents, HT-… a rule of the protocol reference, and anything else CBOR. --as says it outright. The QR secret is \
            never printed.
            """)

    @Argument(
        help: "FIDO:/…, hexadecimal bytes, a tunnel domain's number or name, or a rule's ID; - reads standard input.")
    var subject: String

    @Option(help: ArgumentHelp("What it is.", valueName: "kind"))
    var `as`: Subject.Kind?

    @Option(help: ArgumentHelp("The QR code whose session an advert may belong to: opens it.", valueName: "url"))
    var qr: String?

    @OptionGroup var output: OutputOptions

    /// Twice the largest message of the protocol, in hexadecimal digits, with room for spaces.
    private static let longestInput = 4 << 20

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let text = try subject == "-" ? Self.standardInput() : subject.trimmingWhitespace()
            let explanation = try Subject(text, as: self.as).explanation(qr: qr)
            if output.json {
                reporter.writeJSON(explanation.line)
            } else {
                reporter.print(explanation.text)
            }
        }
    }

    private static func standardInput() throws -> String {
        let line: String
        do {
            line = try StandardStreams.readLine(limit: longestInput).trimmingWhitespace()
        } catch let error as SystemError {
            throw Failure(
                .file, code: "input-output", cause: "standard input cannot be read: \(error)", hint: Hint.explainable)
        }
        guard !line.isEmpty else { throw Failure.usage("there is nothing on standard input", hint: Hint.explainable) }
        return line
    }
}

extension Subject.Kind: ExpressibleByArgument {}

extension Hint {
    static let explainable =
        "give FIDO:/…, hexadecimal bytes, a tunnel domain, or a rule like HT-ADV-3; see hybrid inspect --help"
}
