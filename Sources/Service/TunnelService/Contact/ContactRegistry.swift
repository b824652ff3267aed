import NIOConcurrencyHelpers
import TunnelProtocol

/// The authenticators that are connected, the labels under which they want to be woken, and the clients whose
/// authenticator does not know of them yet.
///
/// Nothing of it outlives the service: what lasts is in the contact IDs.
final class ContactRegistry: Sendable {
    private struct Listener {
        let end: ListenerEnd
        var labels: Set<ContactLabel>
    }

    private struct State {
        var listeners: [AuthenticatorID: Listener] = [:]
        var calls: [AuthenticatorID: [ContactCall]] = [:]
    }

    /// The standing of a token.
    enum Standing: Sendable, Equatable {
        /// Its authenticator is connected, and lists its label.
        case reachable
        /// Its authenticator is connected, and does not list its label any more.
        case revoked
        /// Its authenticator is not connected.
        case unreachable
    }

    /// The most labels of a connected authenticator, those registered through other connections included.
    private static let maximumLabelCount = 2 * ContactRegistration.maximumLabelCount

    private let state = NIOLockedValueBox(State())

    /// The number of connected authenticators.
    var listenerCount: Int { state.withLockedValue { $0.listeners.count } }
    /// The number of clients that wait for their authenticator to know of them.
    var callCount: Int { state.withLockedValue { state in state.calls.values.reduce(0) { $0 + $1.count } } }

    /// The standing of a token.
    func standing(of token: ContactToken) -> Standing { state.withLockedValue { Self.standing(of: token, in: $0) } }

    /// Makes a connection the one through which an authenticator is woken, for these labels alone. Clients that wait
    /// are announced again; those of other labels are told that their link is gone.
    func register(_ authenticator: AuthenticatorID, labels: [ContactLabel], at end: ListenerEnd) {
        let (replaced, calls) = state.withLockedValue { state in
            let replaced = state.listeners.updateValue(Listener(end: end, labels: Set(labels)), forKey: authenticator)
            return (replaced?.end, state.calls[authenticator] ?? [])
        }
        if let replaced, replaced != end { replaced.yield() }
        for call in calls {
            if labels.contains(call.token.label) {
                end.wake(call.wake)
            } else {
                call.client.refuse(.gone)
            }
        }
    }

    /// Lets an authenticator that is connected be woken for further labels too, until it registers again.
    func add(_ labels: [ContactLabel], to authenticator: AuthenticatorID) {
        state.withLockedValue { state in
            guard var listener = state.listeners[authenticator] else { return }
            listener.labels.formUnion(labels)
            guard listener.labels.count <= Self.maximumLabelCount else { return }
            state.listeners[authenticator] = listener
        }
    }

    /// Forgets the connection of an authenticator. Its clients wait on.
    func leave(_ authenticator: AuthenticatorID, _ end: ListenerEnd) {
        state.withLockedValue { state in
            if state.listeners[authenticator]?.end == end { state.listeners[authenticator] = nil }
        }
    }

    /// Announces a client to its authenticator: now if that is connected, otherwise when it is.
    ///
    /// - Returns: true if it is connected here.
    /// - Throws: ``Refusal`` with status 410 if the token is revoked.
    @discardableResult
    func call(_ call: ContactCall) throws(Refusal) -> Bool {
        let (standing, end) = state.withLockedValue { state in
            let standing = Self.standing(of: call.token, in: state)
            if standing != .revoked { state.calls[call.token.authenticator, default: []].append(call) }
            return (standing, state.listeners[call.token.authenticator]?.end)
        }
        switch standing {
        case .reachable: end?.wake(call.wake)
        case .revoked: throw .gone
        case .unreachable: break
        }
        return standing == .reachable
    }

    /// Has a client answered in the place of one that has called for the same tunnel, of which its authenticator is told
    /// already.
    ///
    /// - Returns: false if none has.
    func takeOver(_ call: ContactCall) -> Bool {
        state.withLockedValue { state in
            let index = state.calls[call.token.authenticator]?.firstIndex { $0.wake.tunnelID == call.wake.tunnelID }
            guard let index else { return false }
            state.calls[call.token.authenticator]?[index] = call
            return true
        }
    }

    /// Removes the call of a client, if its authenticator does not know of it yet.
    ///
    /// - Returns: the call, if there was one.
    @discardableResult
    func removeCall(of authenticator: AuthenticatorID, tunnelID: [UInt8]) -> ContactCall? {
        state.withLockedValue { state in
            guard var calls = state.calls[authenticator],
                let index = calls.firstIndex(where: { $0.wake.tunnelID == tunnelID })
            else { return nil }
            let call = calls.remove(at: index)
            state.calls[authenticator] = calls.isEmpty ? nil : calls
            return call
        }
    }

    private static func standing(of token: ContactToken, in state: State) -> Standing {
        guard let listener = state.listeners[token.authenticator] else { return .unreachable }
        return listener.labels.contains(token.label) ? .reachable : .revoked
    }
}
