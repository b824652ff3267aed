import CommandLine
import HybridTransport
import Synchronization
import UnixSignals

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
