import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import QRCode
import Synchronization
import UnixSignals

/// The QR code of a ceremony: in a window, which follows the ceremony and can end it; or at the terminal, where it is
/// drawn once a terminal that was too small for it has been made larger.
final class FollowedQRCode: Sendable {
    private static let title: Sentence = "Use a passkey of another device"

    private let option: QROption
    private let reporter: Reporter
    private let next: Sentence
    private let window: Window?
    /// The window while it is open.
    private let open = Mutex<CeremonyWindow?>(nil)
    /// Ends the ceremony.
    private let end = Mutex<@Sendable (Failure) -> Void>({ _ in })
    /// The text of the code that has still to be drawn; nil if none is.
    private let undrawn = Mutex<String?>(nil)
    /// False while there is nothing that a device could scan.
    private let canBeSeen = Mutex(true)

    /// Makes one. Nothing is shown.
    ///
    /// - Throws: `DialogueError` if a window was chosen, and there is none.
    init(
        _ option: QROption, in dialogues: DesktopDialogues, saying next: Sentence = QROption.scan, _ reporter: Reporter
    ) throws(DialogueError) {
        self.option = option
        self.next = next
        self.reporter = reporter
        window = try option.window(of: dialogues)
    }

    /// Sets the function that ends the ceremony, if the user closes the window, or it cannot be shown.
    func onEnd(_ end: @escaping @Sendable (Failure) -> Void) { self.end.withLock { $0 = end } }

    /// Runs a client's ceremony whose code this shows, and reports its events.
    ///
    /// - Parameters:
    ///   - isHandOver: as for `Reporter.during`.
    ///   - ceremony: the ceremony, which tells the events to its argument.
    /// - Throws: the errors of the ceremony; ``Failure`` if the window ended it.
    func during<Value: Sendable>(
        isHandOver: Bool = false,
        _ ceremony: @escaping @Sendable (_ observe: @escaping EventListener) async throws -> Value
    ) async throws -> Value {
        let following = Task { await follow() }
        let running = Task {
            try await reporter.during(.client, isHandOver: isHandOver) { listener in
                try await ceremony { self.report($0, to: listener) }
            }
        }
        let cause = Mutex<Failure?>(nil)
        onEnd { failure in
            cause.withLock { $0 = $0 ?? failure }
            running.cancel()
        }
        defer {
            following.cancel()
            forget()
        }
        let outcome = await withTaskCancellationHandler {
            await running.result
        } onCancel: {
            running.cancel()
        }
        if case .failure = outcome, let failure = cause.withLock({ $0 }) { throw failure }
        return try outcome.get()
    }

    /// Shows the code.
    ///
    /// - Throws: ``Failure`` if a file cannot be written.
    func show(_ url: String) throws {
        if let window { return try show(url, in: window) }
        // First, since the terminal may be made larger as soon as its user reads that it is too small.
        undrawn.withLock { $0 = option.isTooLarge(url) ? url : nil }
        canBeSeen.withLock { $0 = option.isScannable(url) }
        try option.show(url, isFollowed: true, saying: next, reporter)
    }

    private func show(_ url: String, in window: Window) throws {
        let modules = try QRCode(ofCeremony: url).modules
        let shown = try CeremonyWindow()
        open.withLock { open in
            open?.close()
            open = shown
        }
        let words = DialogueWords(title: Self.title, description: next.capitalised)
        shown.show(.code(words, modules: modules, text: url))
        reporter.say("the QR code is in a window")
        Task { [self] in
            do throws(DialogueError) {
                guard try await shown.follow(in: window) else { return }
                end.withLock(\.self)(
                    Failure(.declined, code: "declined", cause: "the window was closed", hint: Hint.startAgain))
            } catch {
                end.withLock(\.self)(Failure(error))
            }
        }
    }

    /// Reports an event, but does not tell people of a code that cannot be seen. A code that has been read need
    /// not be drawn.
    func report(_ event: any Event, to listener: EventListener) {
        if case CeremonyEvent.stage(let stage) = event {
            if stage == .qrShown, !reporter.isJSON, !canBeSeen.withLock({ $0 }) { return }
            // An advert that is heard may be of another code.
            if stage != .qrShown, stage != .advertSeen { undrawn.withLock { $0 = nil } }
            if let shown = open.withLock(\.self) { tell(stage, in: shown) }
        }
        listener(event)
    }

    /// Tells a stage. A code that has been read goes: nobody else should scan it.
    private func tell(_ stage: Stage, in shown: CeremonyWindow) {
        if stage == .tunnelJoined || stage == .channelOpened {
            showStep("Go on on the other device")
        }
        if let expectation = stage.expectation(for: .client) { shown.tell("Waiting \(expectation)") }
    }

    /// Shows the user's next step, in the place of the code, if that is in a window.
    func showStep(_ step: Sentence) { open.withLock(\.self)?.show(.step(DialogueWords(title: step, description: ""))) }

    /// Draws the code no more, and takes the window away.
    func forget() {
        undrawn.withLock { $0 = nil }
        open.withLock { open in
            open?.close()
            open = nil
        }
    }

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
        // A picture on a terminal needs no file.
        if let url { try? option.show(url, isFollowed: true, saying: next, reporter) }
    }
}

// The showing itself: also of a code that is not followed.

extension QROption {
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
    /// something beside the text; without these there would be no picture that every terminal shows the right way.
    /// Output that is no terminal gets no control sequences, and a picture for light text on dark.
    private func draw(
        _ code: QRCode, _ url: String, isFollowed: Bool, saying next: Sentence?, _ reporter: Reporter
    ) {
        switch QRDrawing(of: code) {
        case .picture(let style, let quietZone, let hasRoom):
            reporter.show(code.terminal(style, quietZone: quietZone))
            // Where there is no room for a sentence, the line `waiting:` says the same.
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
