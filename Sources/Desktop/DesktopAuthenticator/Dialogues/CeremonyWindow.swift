internal import LinuxSupport
internal import Synchronization

/// A window that follows a ceremony: it shows a QR code, tells the stages, and goes when the ceremony is over.
package final class CeremonyWindow: Sendable {
    private enum Change {
        case show(WindowScreen)
        case tell(String)
        case close
    }

    /// The longest time for which a window is open.
    private static let limit = Duration.seconds(3_600)

    private let changes = Mutex<[Change]>([])
    private let signal: WakePipe

    /// Makes one. Nothing is started.
    ///
    /// - Throws: ``DialogueError`` `failed` if the system has no file left.
    package init() throws(DialogueError) {
        do { signal = try WakePipe() } catch {
            throw DialogueError(.failed, reason: "no file descriptor is left: \(error)")
        }
    }

    /// Shows a screen, now or when the window is open, in the place of the one before.
    package func show(_ screen: WindowScreen) { add(.show(screen)) }

    /// Says which stage is reached, below the screen.
    package func tell(_ stage: String) { add(.tell(stage)) }

    /// Takes the window away.
    package func close() { add(.close) }

    private func add(_ change: Change) {
        changes.withLock { $0.append(change) }
        signal.signal()
    }

    /// Opens the window, and follows the changes until ``close()``, or until the user closes it.
    ///
    /// - Returns: true if the user has closed it.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    package func follow(in window: Window) async throws(DialogueError) -> Bool {
        try await window.converse(within: Self.limit) { [self] (window) throws(DialogueError) in
            while true {
                signal.drain()
                let pending = changes.withLock { changes in
                    defer { changes = [] }
                    return changes
                }
                for change in pending {
                    switch change {
                    case .show(let screen): try window.show(screen)
                    case .tell(let stage): try window.tell(stage)
                    case .close: return false
                    }
                }
                // Nothing that this shows takes any other answer than a no.
                if try window.answer(orSignal: signal) != nil { return true }
            }
        }
    }
}
