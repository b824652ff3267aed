import ArgumentParser
import QRCode

/// How the QR code is shown.
enum QROutput: ExpressibleByArgument, Sendable {
    case terminal
    case svg(file: String)
    case png(file: String)
    case url

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("terminal", 1): self = .terminal
        case ("url", 1): self = .url
        case ("svg", 2): self = .svg(file: parts[1])
        case ("png", 2): self = .png(file: parts[1])
        default: return nil
        }
    }

    var defaultValueDescription: String { "terminal" }
}

/// The option that says how the QR code is shown.
struct QROption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How to show the QR code: terminal, svg:FILE, png:FILE, or url, which writes the FIDO:/ URL as the first line of \
            standard output.
            """, valueName: "how"))
    var qr: QROutput = .terminal

    /// What browsers draw: level M, and version 5 or more.
    private static let level = QRCode.ErrorCorrectionLevel.medium
    private static let minimumVersion = 5

    /// Shows the QR code.
    ///
    /// - Throws: ``Failure`` if the file cannot be written.
    func show(_ url: String, _ reporter: Reporter) throws {
        if case .url = qr { return reporter.print(url) }
        let code = try QRCode(text: url, level: Self.level, minimumVersion: Self.minimumVersion)
        switch qr {
        case .terminal: reporter.show(code.terminal())
        case .svg(let file): try writeFile(Array(code.svg(title: "FIDO hybrid QR code").utf8), to: file)
        case .png(let file): try writeFile(code.png(), to: file)
        case .url: break
        }
        reporter.say("scan the QR code with the device that has the passkey")
    }
}
