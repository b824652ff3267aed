internal import HybridProtocol
internal import Synchronization

/// What a listener remembers of wakes, whichever connection they came through: which were told of already, and how many there
/// were lately.
final class WakeLedger: Sendable {
    private struct State {
        var recent: [ContinuousClock.Instant] = []
        var decided: [(tunnelID: TunnelID, isAccepted: Bool)] = []
    }

    /// How many tunnels are remembered. The service lets an authenticator be woken by fewer while one client waits.
    private static let decidedLimit = 128

    private let count: Int
    private let window: Duration
    private let state = Mutex(State())

    /// At most `count` wakes within `window`.
    init(count: Int, window: Duration) {
        self.count = count
        self.window = window
    }

    /// What was decided about the client in a tunnel; nil if nothing was yet.
    func isAccepted(_ tunnelID: TunnelID) -> Bool? {
        state.withLock { $0.decided.last { $0.tunnelID == tunnelID }?.isAccepted }
    }

    /// Notes what was decided.
    func decide(_ tunnelID: TunnelID, isAccepted: Bool) {
        state.withLock { state in
            state.decided.removeAll { $0.tunnelID == tunnelID }
            state.decided.append((tunnelID, isAccepted))
            if state.decided.count > Self.decidedLimit { state.decided.removeFirst() }
        }
    }

    /// Whether one more wake is borne now; it is counted if so.
    func bearsOneMore(now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            state.recent.removeAll { now - $0 >= window }
            guard state.recent.count < count else { return false }
            state.recent.append(now)
            return true
        }
    }
}
