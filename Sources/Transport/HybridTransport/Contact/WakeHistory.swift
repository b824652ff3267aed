internal import HybridProtocol
internal import LinuxSupport
internal import Synchronization

/// A listener's record of wakes over all its connections: the decision about each, and the number of those that
/// came lately.
final class WakeHistory: Sendable {
    private struct State {
        var recent: [Duration] = []
        var decided: [(tunnelID: TunnelID, isAccepted: Bool)] = []
    }

    /// The number of tunnels that are remembered. The service lets an authenticator be woken by fewer while one client
    /// waits.
    private static let decidedLimit = 128

    private let limits: ContactListener.Limits
    private let state = Mutex(State())

    /// - Parameter limits: the limit for wakes, and the time in which they are counted.
    init(_ limits: ContactListener.Limits) { self.limits = limits }

    /// The decision about the client in a tunnel; nil if there is none yet.
    func isAccepted(_ tunnelID: TunnelID) -> Bool? {
        state.withLock { $0.decided.last { $0.tunnelID == tunnelID }?.isAccepted }
    }

    /// Records a decision.
    func decide(_ tunnelID: TunnelID, isAccepted: Bool) {
        state.withLock { state in
            state.decided.removeAll { $0.tunnelID == tunnelID }
            state.decided.append((tunnelID, isAccepted))
            if state.decided.count > Self.decidedLimit { state.decided.removeFirst() }
        }
    }

    /// True if one more wake is within the limit now; it is counted if so.
    func admitsOneMore() -> Bool {
        let now = limits.timer.now
        return state.withLock { state in
            state.recent.removeAll { now - $0 >= limits.wakeWindow }
            guard state.recent.count < limits.wakes else { return false }
            state.recent.append(now)
            return true
        }
    }
}
