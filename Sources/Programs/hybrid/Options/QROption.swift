import ArgumentParser
import CommandLine
import DesktopAuthenticator
import Glibc
import LinuxSupport
import QRCode

/// The way in which the QR code is shown.
enum QROutput: Sendable {
    case terminal
    case window
    case svg(file: String)
    case png(file: String)
    case url

    /// True for what a program can read.
    var isForPrograms: Bool {
        switch self {
        case .terminal, .window: false
        case .svg, .png, .url: true
        }
    }

    /// Reads `terminal`, `window`, `svg:FILE`, `png:FILE` or `url`.
    static func parse(_ text: String) throws -> Self {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("terminal", 1): return .terminal
        case ("window", 1): return .window
        case ("url", 1): return .url
        case ("svg", 2): return .svg(file: parts[1])
        case ("png", 2): return .png(file: parts[1])
        default: throw ValidationError.saying("give terminal, window, svg:FILE, png:FILE or url")
        }
    }
}

/// The option for the way in which the QR code is shown.
struct QROption: ParsableArguments {
    @Option(
        name: .customLong("qr"),
        help: .saying(
            """
            How to show the QR code: terminal, window, svg:FILE, png:FILE, or url, which writes the FIDO:/ URL as the \
            first line of standard output. (default: the terminal; without one, a window)
            """, valueName: "how"), transform: QROutput.parse)
    var chosen: QROutput?

    /// The way that was chosen; the terminal otherwise.
    var qr: QROutput { chosen ?? .terminal }

    /// The window that the code is shown in; nil if it is shown in another way.
    ///
    /// - Throws: `DialogueError` if a window was chosen, and there is none.
    func window(of dialogues: DesktopDialogues) throws(DialogueError) -> Window? {
        switch chosen {
        case .window: try dialogues.needWindow()
        case nil where !StandardStreams.hasControllingTerminal && DesktopApproval.hasDisplay: dialogues.window
        case nil, .terminal, .svg, .png, .url: nil
        }
    }

    /// The first bytes of the pictures that are written here.
    private static let pngBeginning: [UInt8] = [0x89, 0x50, 0x4e, 0x47]
    private static let svgBeginning = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ".utf8)

    /// Shows the QR code.
    ///
    /// - Parameters:
    ///   - isFollowed: true if it is drawn again when the terminal is made larger.
    ///   - next: the next step for the user; nil if nobody has to do anything.
    /// - Throws: ``Failure`` if the file cannot be written.
    func show(
        _ url: String, isFollowed: Bool = false, saying next: Sentence? = Self.scan, _ reporter: Reporter
    ) throws {
        switch qr {
        case .url: return reporter.print(url)
        case .terminal, .window:
            return draw(try QRCode(ofCeremony: url), url, isFollowed: isFollowed, saying: next, reporter)
        case .svg(let file):
            let picture = try QRCode(ofCeremony: url).svg(title: "FIDO hybrid QR code")
            try Self.write(Array(picture.utf8), to: file)
            reporter.say("the QR code is in \(file)")
        case .png(let file):
            try Self.write(try QRCode(ofCeremony: url).png(), to: file)
            reporter.say("the QR code is in \(file)")
        }
        if let next { reporter.say(next) }
    }

    static let scan: Sentence = "scan the QR code with the device that has the passkey, or will have it"

    /// Draws the code in black on white, whatever the terminal's own colours are. NO_COLOR is about colours that say
    /// something beside the text; without these there would be no picture that every terminal shows the right way. What
    /// is not a terminal gets no control sequences, and a picture for light text on dark.
    private func draw(
        _ code: QRCode, _ url: String, isFollowed: Bool, saying next: Sentence?, _ reporter: Reporter
    ) {
        switch QRDrawing(of: code) {
        case .picture(let style, let quietZone, let hasRoom):
            reporter.show(code.terminal(style, quietZone: quietZone))
            // Where there is no room for a sentence, what is waited for says the same.
            if hasRoom, let next { reporter.say(next) }
        case .text:
            reporter.warn(
                "no-picture",
                "this terminal cannot show a QR code; its text follows, for hybrid authenticator answer -; "
                    + "for a picture use a terminal with colours and UTF-8, or give --qr png:FILE")
            reporter.show("\(url)\n")
        case .tooLarge(let need, let terminal):
            let remedy: Sentence =
                isFollowed ? "make it larger, and the code is drawn" : "make it larger and start again"
            reporter.warn(
                "terminal-too-small",
                "the QR code needs \(need.columns) columns and \(need.lines) lines, and this terminal has "
                    + "\(terminal.columns) and \(terminal.lines): \(remedy), or give --qr png:FILE")
        }
    }

    /// True if the code is a picture on a terminal that has no room for it.
    func isTooLarge(_ url: String) -> Bool {
        guard case .tooLarge? = drawing(of: url) else { return false }
        return true
    }

    /// True if a code that is shown can be scanned.
    func isScannable(_ url: String) -> Bool {
        switch drawing(of: url) {
        case .picture?, nil: true
        case .text?, .tooLarge?: false
        }
    }

    /// The drawing of a code; nil if it is not drawn.
    private func drawing(of url: String) -> QRDrawing? {
        guard case .terminal = qr, let code = try? QRCode(ofCeremony: url) else { return nil }
        return QRDrawing(of: code)
    }

    private static func write(_ picture: [UInt8], to path: String) throws {
        guard FileCheck.isReplaceable(path, beginnings: [pngBeginning, svgBeginning]) else {
            throw Failure(
                .file, code: "exists", cause: "\(path) already exists, and is not a picture of a QR code",
                hint: "give --qr the name of another file, or move that one away")
        }
        // Anybody could answer a code in the user's place.
        do throws(PrivateFile.Problem) {
            try PrivateFile.replacing(path).write(picture)
        } catch {
            throw Failure(
                .file, code: "input-output", cause: "\(path) \(error)",
                hint: "check the file given with --qr")
        }
    }
}
