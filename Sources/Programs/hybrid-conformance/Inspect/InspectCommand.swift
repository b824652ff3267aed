import ArgumentParser
import CommandLine
import Glibc
import LinuxSupport
import SystemPackage

/// Explains a piece of the protocol in words, or shows what is in a capture of it.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        summary: Abstract.inspect,
        details: """
            example:
              hybrid-conformance inspect -
              hybrid-conformance inspect \\
                90b77a82f828114662dc2cf9c7d5a379ccfeb0b2
              hybrid-conformance inspect cable.wufkweyy3uaxb.com
              hybrid-conformance inspect a3010203044105
              hybrid-conformance inspect HT-ADV-3
              hybrid-conformance inspect air.btsnoop \\
                --secret 000102030405060708090a0b0c0d0e0f
              hybrid-conformance inspect air.pcapng \\
                --key-log session.keys --decrypted plain.pcapng
              hybrid-conformance inspect .well-known/webauthn

            The kind of input is detected: FIDO:/ is a QR code; up to five digits, or a name that starts with \
            "cable.", a tunnel domain; 20 bytes of hexadecimal an advert; 16 that start with zero an advert's \
            plaintext; a map with the keys of a QR code its contents; HT-… a rule of the protocol reference; and \
            anything else CBOR. --as states the kind instead. The QR secret is never printed.

            A file or text that begins with { is a site's file: its related origins (/.well-known/webauthn), each with \
            how browsers treat it, or Apple's associations (apple-app-site-association), with the apps that may use \
            the site's passkeys.

            A file in the format btsnoop (btmon -w), pcap or pcapng is a capture, of a Bluetooth host or of the air. \
            The output shows hybrid adverts with their times, L2CAP channels, and sessions. The QR code decrypts its \
            adverts; messages need a key log, which client and authenticator write with --key-log. With --json each \
            event is a line. A truncated or damaged capture is shown up to that point, and the exit code is then 18.
            """)

    @Argument(
        help: .saying(
            """
            FIDO:/…, hexadecimal bytes, a tunnel domain's number or name, a rule's ID, a site's file, or a capture \
            file; - reads standard input.
            """), completion: .file())
    var subject: String

    @Option(help: .saying("The kind of the input.", valueName: "kind"))
    var `as`: Subject.Kind?

    @Option(help: .saying("The QR code of the session, which decrypts the session's adverts.", valueName: "url"))
    var qr: String?

    @OptionGroup var capture: CaptureOptions

    @OptionGroup var output: OutputOptions

    /// Twice the largest message of the protocol, in hexadecimal digits, with room for spaces.
    private static let longestInput = 4 << 20

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            if self.as == nil, let file = CaptureFile(subject) {
                return try CaptureInspection(file, capture, qr: qr, reporter).run()
            }
            try checkFile()
            let explanation = try found().explanation(qr: qr)
            reporter.write(explanation.line, orPrint: Sentence(verbatim: explanation.text))
        }
    }

    /// The subject: the text on standard input, a site's file, or the argument itself.
    private func found() throws -> Subject {
        if subject == "-" { return try Subject(Self.standardInput(), as: self.as) }
        if let file = try SiteFile.contents(of: subject, as: self.as) { return Subject(file: file, as: self.as) }
        return try Subject(subject.trimmingWhitespace(), as: self.as)
    }

    /// Refuses a file that is meant for a capture but is none.
    private func checkFile() throws(Failure) {
        guard capture.isGiven || Self.captureSuffixes.contains(where: subject.hasSuffix) else { return }
        let isThere = access(subject, F_OK) == 0
        throw Failure(
            .file, code: isThere ? "not-a-capture" : "input-output",
            cause: isThere
                ? "\(quoted(subject)) is not a capture that can be read: it does not begin as btsnoop, pcap or pcapng"
                : "there is no capture file \(quoted(subject))",
            hint: "give a file of btmon -w, tcpdump or Wireshark; --secret, --key-log and --decrypted are for captures")
    }

    private static let captureSuffixes = [".btsnoop", ".pcap", ".pcapng"]

    private static func standardInput() throws -> String {
        let line: String
        do {
            StandardStreams.prompt("paste the input, then press Enter (after a site's file, Ctrl-D)")
            line = try firstLineOrObject().trimmingWhitespace()
        } catch let error as Errno {
            throw Failure(
                .file, code: "input-output", cause: "standard input cannot be read: \(error)", hint: Hint.explainable)
        }
        guard !line.isEmpty else { throw Failure.usage("there is nothing on standard input", hint: Hint.explainable) }
        return line
    }

    /// A line; or, of input that begins as a JSON object, all.
    private static func firstLineOrObject() throws -> String {
        let newline = UInt8(ascii: "\n")
        var isObject: Bool?
        let bytes = try StandardStreams.read(limit: longestInput, from: STDIN_FILENO) { chunk in
            isObject = isObject ?? Subject.isObject(Array(chunk))
            return isObject == false && chunk.contains(newline)
        }
        return String(decoding: isObject == true ? bytes[...] : bytes.prefix { $0 != newline }, as: UTF8.self)
    }
}

extension Subject.Kind: ExpressibleByArgument {}

extension Hint {
    static let explainable: Sentence =
        "give FIDO:/…, hexadecimal bytes, a tunnel domain, or a rule like HT-ADV-3; "
        + "see hybrid-conformance inspect --help"
}

/// A file that a site serves below `/.well-known`, as JSON.
enum SiteFile {
    /// More than the longest that is of any use, so that a longer one is said to be too long.
    private static let longest = 1 << 19

    /// The contents of a file that begins as a JSON object, or that is said to be a site's.
    ///
    /// - Returns: nil if there is no such file.
    /// - Throws: `Errno`; `CancellationError`.
    static func contents(of path: String, as kind: Subject.Kind?) throws -> [UInt8]? {
        let isSaid = kind == .relatedOrigins || kind == .appSiteAssociation
        guard kind == nil || isSaid, !path.isEmpty else { return nil }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let contents = try StandardStreams.read(limit: longest, from: file)
        return isSaid || Subject.isObject(contents) ? contents : nil
    }
}
