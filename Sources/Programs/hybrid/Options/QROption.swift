import ArgumentParser
import CeremonyOptions
import CommandLine
import Glibc
import HybridTransport
import LinuxSupport
import QRCode
import Synchronization
import UnixSignals

/// The way in which the QR code is shown.
enum QROutput: Sendable {
    case terminal
    case svg(file: String)
    case png(file: String)
    case url

    /// Reads `terminal`, `svg:FILE`, `png:FILE` or `url`.
    static func parse(_ text: String) throws -> Self {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("terminal", 1): return .terminal
        case ("url", 1): return .url
        case ("svg", 2): return .svg(file: parts[1])
        case ("png", 2): return .png(file: parts[1])
        default: throw ValidationError("give terminal, svg:FILE, png:FILE or url")
        }
    }
}

/// The option for the way in which the QR code is shown.
struct QROption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How to show the QR code: terminal, svg:FILE, png:FILE, or url, which writes the FIDO:/ URL as the first \
            line of standard output. (default: terminal)
            """, valueName: "how"), transform: QROutput.parse)
    var qr: QROutput = .terminal

    private static let quietZone = 4
    private static let modulesInLine = 2
    /// The first bytes of the pictures that are written here.
    private static let pngBeginning: [UInt8] = [0x89, 0x50, 0x4e, 0x47]
    private static let svgBeginning = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ".utf8)
    /// Lines that are written below the picture before the code is read.
    private static let linesBelow = 3

    /// Shows the QR code.
    ///
    /// - Parameters:
    ///   - isFollowed: true if it is drawn again when the terminal is made larger.
    ///   - next: the next step for the user.
    /// - Throws: ``Failure`` if the file cannot be written.
    func show(
        _ url: String, isFollowed: Bool = false,
        saying next: String = "scan the QR code with the device that has the passkey, or will have it",
        _ reporter: Reporter
    ) throws {
        switch qr {
        case .url: return reporter.print(url)
        case .terminal: draw(try QRCode(ofCeremony: url), isFollowed: isFollowed, reporter)
        case .svg(let file):
            let picture = try QRCode(ofCeremony: url).svg(title: "FIDO hybrid QR code")
            try Self.write(Array(picture.utf8), to: file)
            reporter.say("the QR code is in \(file)")
        case .png(let file):
            try Self.write(try QRCode(ofCeremony: url).png(), to: file)
            reporter.say("the QR code is in \(file)")
        }
        reporter.say(next)
    }

    /// Draws the code in black on white, whatever the terminal's own colours are. NO_COLOR is about colours that say
    /// something beside the text; without these there would be no picture that every terminal shows the right way. What
    /// is not a terminal gets no control sequences, and a picture for light text on dark.
    private func draw(_ code: QRCode, isFollowed: Bool, _ reporter: Reporter) {
        guard StandardStreams.showsPictures(STDERR_FILENO) else {
            return reporter.warn(
                "no-picture",
                "this output shows no picture of a QR code that could be read: give --qr png:FILE, svg:FILE or url")
        }
        reporter.show(code.terminal(isatty(STDERR_FILENO) == 1 ? .coloured : .plainOnDark))
        // Below the picture: above it, it would be the first that scrolls away.
        if let terminal = Self.terminalTooSmall(for: code) {
            let need = Self.need(of: code)
            let remedy = isFollowed ? "make it larger, and the code is drawn again" : "make it larger and start again"
            reporter.warn(
                "terminal-too-small",
                "the QR code and what follows need \(need.columns) columns and \(need.lines) lines, and this "
                    + "terminal has \(terminal.columns) and \(terminal.lines): \(remedy), or give --qr png:FILE")
        }
    }

    /// True if the code is a picture on a terminal that has no room for it.
    func isTooLarge(_ url: String) -> Bool {
        guard case .terminal = qr, StandardStreams.showsPictures(STDERR_FILENO), let code = try? QRCode(ofCeremony: url)
        else {
            return false
        }
        return Self.terminalTooSmall(for: code) != nil
    }

    /// The columns and lines that the picture and what stands below it need.
    private static func need(of code: QRCode) -> (columns: Int, lines: Int) {
        let columns = code.size + 2 * quietZone
        return (columns, (columns + 1) / modulesInLine + linesBelow)
    }

    /// The terminal's columns and lines, if these are too few.
    private static func terminalTooSmall(for code: QRCode) -> (columns: Int, lines: Int)? {
        let need = need(of: code)
        guard let terminal = StandardStreams.size(of: STDERR_FILENO),
            terminal.columns < need.columns || terminal.lines < need.lines
        else { return nil }
        return terminal
    }

    private static func write(_ picture: [UInt8], to path: String) throws {
        guard FileCheck.isReplaceable(path, beginnings: [pngBeginning, svgBeginning]) else {
            throw Failure(
                .file, code: "exists", cause: "\(path) is there already, and is not a picture of a QR code",
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

/// The QR code of a ceremony, which is drawn again once a terminal that was too small for it has been made larger.
final class FollowedQRCode: Sendable {
    private let option: QROption
    private let reporter: Reporter
    private let next: String
    /// The text of the code to draw again; nil if none is.
    private let undrawn = Mutex<String?>(nil)

    init(
        _ option: QROption,
        saying next: String = "scan the QR code with the device that has the passkey, or will have it",
        _ reporter: Reporter
    ) {
        self.option = option
        self.next = next
        self.reporter = reporter
    }

    /// Shows the code.
    ///
    /// - Throws: ``Failure`` if a file cannot be written.
    func show(_ url: String) throws {
        // First, since the terminal may be made larger as soon as its user reads that it is too small.
        undrawn.withLock { $0 = option.isTooLarge(url) ? url : nil }
        try option.show(url, isFollowed: true, saying: next, reporter)
    }

    /// Takes note of what happens: a code that has been read need not be drawn.
    func note(_ event: CeremonyEvent) {
        // An advert that is heard may be of another code.
        guard case .stage(let stage) = event, stage != .qrShown, stage != .advertSeen else { return }
        forget()
    }

    /// Draws the code no more.
    func forget() { undrawn.withLock { $0 = nil } }

    /// Follows the terminal's size until the task is cancelled.
    func follow() async {
        let changes = await UnixSignalsSequence(trapping: .sigwinch)
        // It may have changed before there was anybody to tell.
        drawAgain()
        for await _ in changes { drawAgain() }
    }

    private func drawAgain() {
        let url = undrawn.withLock { undrawn -> String? in
            guard let url = undrawn, !option.isTooLarge(url) else { return nil }
            undrawn = nil
            return url
        }
        // What is drawn has been drawn before, and a picture on a terminal needs no file.
        if let url { try? option.show(url, isFollowed: true, saying: next, reporter) }
    }
}
