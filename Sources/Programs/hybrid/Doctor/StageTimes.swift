import HybridTransport
import Synchronization

/// The stages of one ceremony with their times.
final class StageTimes: Sendable {
    private let begin = ContinuousClock.now
    private let reached = Mutex<[(stage: Stage, at: Duration)]>([])

    /// The stages so far, in order.
    var all: [(stage: Stage, at: Duration)] { reached.withLock { $0 } }

    /// Notes an event of the ceremony.
    func note(_ event: CeremonyEvent) {
        guard case .stage(let stage) = event else { return }
        let time = ContinuousClock.now - begin
        reached.withLock { $0.append((stage, time)) }
    }
}
