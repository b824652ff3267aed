import CommandLine
import HybridTransport
import Synchronization
import UnixSignals

/// The QR code of a ceremony, which is drawn once a terminal that was too small for it has been made larger.
final class FollowedQRCode: Sendable {
    private let option: QROption
    private let reporter: Reporter
    private let next: String
    /// The text of the code that has still to be drawn; nil if none is.
    private let undrawn = Mutex<String?>(nil)
    /// False while there is nothing that a device could scan.
    private let canBeSeen = Mutex(true)

    init(_ option: QROption, saying next: String = QROption.scan, _ reporter: Reporter) {
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
        canBeSeen.withLock { $0 = option.isScannable(url) }
        try option.show(url, isFollowed: true, saying: next, reporter)
    }

    /// Reports what happens, but not to people that a code can be seen which is not there. A code that has been read
    /// need not be drawn.
    func report(_ event: any Event, to listener: EventListener) {
        if case CeremonyEvent.stage(let stage) = event {
            if stage == .qrShown, !reporter.isJSON, !canBeSeen.withLock({ $0 }) { return }
            // An advert that is heard may be of another code.
            if stage != .qrShown, stage != .advertSeen { forget() }
        }
        listener(event)
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
        // A picture on a terminal needs no file.
        if let url { try? option.show(url, isFollowed: true, saying: next, reporter) }
    }
}
