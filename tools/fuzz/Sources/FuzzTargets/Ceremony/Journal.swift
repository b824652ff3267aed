internal import HybridTransport
internal import Synchronization

/// Record of each side of a play, and of its end.
final class Journal: Sendable {
    /// End of a side.
    struct Ending: Sendable {
        /// The answer that it reports; nil: it failed by name.
        var answer: [UInt8]?
        var answerCount: Int?
        var error: HybridTransportError?
        /// The nanoseconds since it was cancelled; nil: it was not.
        var afterCancelling: Int?
    }

    private struct State {
        var endings: [DamageReport.Sender: Ending] = [:]
        var askedCounts: [DamageReport.Sender: Int] = [:]
        var isNearby = false
    }

    private let state = Mutex(State())

    /// Notes that an authenticator was asked.
    func noteRequest(to sender: DamageReport.Sender) { state.withLock { $0.askedCounts[sender, default: 0] += 1 } }

    /// Notes that the client has authenticated itself over Bluetooth.
    func noteNearby() { state.withLock { $0.isNearby = true } }

    /// True if the session goes over Bluetooth.
    var isNearby: Bool { state.withLock { $0.isNearby } }

    func noteEnding(_ ending: Ending, of sender: DamageReport.Sender) { state.withLock { $0.endings[sender] = ending } }

    func askedCount(_ sender: DamageReport.Sender) -> Int { state.withLock { $0.askedCounts[sender] ?? 0 } }

    /// The end of a side; nil: it was never needed.
    func ending(_ sender: DamageReport.Sender) -> Ending? { state.withLock { $0.endings[sender] } }
}
