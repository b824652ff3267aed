import ArgumentParser
import FoundationEssentials

/// Explains a piece of the protocol in words.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Explain a QR code, an advert, a CBOR item or a tunnel domain in words.",
        discussion: """
            example: hybrid inspect FIDO:/5506905332…
            example: hybrid inspect 90b77a82f828114662dc2cf9c7d5a379ccfeb0b2 --qr FIDO:/5799814800…
            example: hybrid inspect cable.wufkweyy3uaxb.com
            example: hybrid inspect a10182…

            What it is, is guessed: FIDO:/ is a QR code, up to five digits or a name that starts with "cable." a tunnel \
            domain, 20 bytes of hexadecimal an advert, and anything else CBOR. --as says it outright. The QR secret is \
            never printed.
            """)

    @Argument(help: "FIDO:/…, hexadecimal bytes, or a tunnel domain's number or name; - reads standard input.")
    var subject: String

    @Option(help: "What it is: qr, advert, cbor or domain.")
    var `as`: Kind?

    @Option(help: ArgumentHelp("The QR code whose session an advert may belong to.", valueName: "url"))
    var qr: String?

    @OptionGroup var output: OutputOptions

    /// What can be explained.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case qr, advert, cbor, domain
    }

    func run() async throws {
        let reporter = output.reporter()
        do {
            let text = try subject == "-" ? Self.standardInput() : subject
            let explanation = try explain(text.trimmingWhitespace())
            if output.json {
                reporter.writeJSON(explanation.line)
            } else {
                reporter.print(explanation.text)
            }
        } catch {
            let failure = Failure(inspecting: error)
            reporter.report(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func explain(_ text: String) throws -> Explanation {
        switch self.as ?? Self.guess(text) {
        case .qr: try .qrCode(text)
        case .domain: try .tunnelDomain(text)
        case .advert: try .advert(Self.bytes(text), qr: qr)
        case .cbor: .cbor(try Self.bytes(text))
        }
    }

    static func guess(_ text: String) -> Kind {
        if text.lowercased().hasPrefix("fido:") { return .qr }
        if text.lowercased().hasPrefix("cable.") { return .domain }
        if text.utf8.count <= 5, UInt16(text) != nil { return .domain }
        let byteCount = text.filter { !$0.isWhitespace }.utf8.count / 2
        return byteCount == Explanation.advertByteCount ? .advert : .cbor
    }

    static func bytes(_ text: String) throws -> [UInt8] {
        let digits = text.filter { !$0.isWhitespace && $0 != ":" }
        let values = digits.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard values.count == digits.count, values.count.isMultiple(of: 2), !values.isEmpty else {
            throw Failure(
                .usage, code: "usage", cause: "neither a FIDO:/ URL, nor hexadecimal bytes, nor a tunnel domain",
                hint: "see hybrid inspect --help")
        }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    private static func standardInput() throws -> String {
        guard let line = readLine() else {
            throw Failure(.usage, code: "usage", cause: "nothing on standard input")
        }
        return line
    }
}

extension String {
    /// The text without white space at either end.
    func trimmingWhitespace() -> String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
