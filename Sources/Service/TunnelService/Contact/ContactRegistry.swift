import HybridProtocol
import NIOConcurrencyHelpers

/// The authenticators that are connected, the labels under which they want to be woken, and the clients whose
/// authenticator does not know of them yet.
///
/// Nothing of it outlives the service: all lasting data is in the contact IDs.
final class ContactRegistry: Sendable {
    private struct Listener {
        let end: ListenerEnd
        var labels: Set<ContactLabel>
        /// The time of the challenge: the authenticator has listed its labels since.
        let challenged: ContinuousClock.Instant
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
        /// Its authenticator is connected through this end. Its label may have been registered at another node, of
        /// which this one has not heard.
        case unlisted(ListenerEnd)
        /// Its authenticator is not connected.
        case unreachable
    }

    /// The most labels of a connected authenticator, those registered through other connections included.
    private static let maximumLabelCount = 2 * ContactRegistration.maximumLabelCount

    private let isNode: Bool
    private let state = NIOLockedValueBox(State())

    /// Makes one without any authenticator.
    ///
    /// - Parameter isNode: true if labels may be registered at other nodes of the service too.
    init(isNode: Bool) { self.isNode = isNode }

    /// The number of connected authenticators.
    var listenerCount: Int { state.withLockedValue { $0.listeners.count } }
    /// The number of clients that wait for their authenticator to know of them.
    var callCount: Int { state.withLockedValue { state in state.calls.values.reduce(0) { $0 + $1.count } } }

    /// The standing of the token of a client that asks now.
    func standing(of token: ContactToken) -> Standing {
        state.withLockedValue { standing(of: token, asked: .now, in: $0) }
    }

    /// Makes a connection the one through which an authenticator is woken, for these labels alone, which it has listed
    /// since it was challenged. Clients that wait are announced again; those who are revoked are told.
    func register(
        _ authenticator: AuthenticatorID, labels: [ContactLabel], at end: ListenerEnd,
        challenged: ContinuousClock.Instant
    ) {
        let listener = Listener(end: end, labels: Set(labels), challenged: challenged)
        let (replaced, calls) = state.withLockedValue { state in
            let replaced = state.listeners.updateValue(listener, forKey: authenticator)
            return (replaced?.end, state.calls[authenticator] ?? [])
        }
        if let replaced, replaced != end { replaced.yield() }
        for call in calls {
            switch standing(of: call.token.label, asked: call.asked, at: listener) {
            case .reachable: end.wake(call.wake)
            case .revoked: call.client.refuse(.gone)
            case .unlisted, .unreachable: break
            }
        }
    }

    /// Lets an authenticator that is connected be woken for further labels too, until it registers again. Clients that
    /// wait for one of them are announced.
    func add(_ labels: [ContactLabel], to authenticator: AuthenticatorID) {
        let (end, calls) = state.withLockedValue { state -> (ListenerEnd?, [ContactCall]) in
            guard var listener = state.listeners[authenticator] else { return (nil, []) }
            let new = Set(labels).subtracting(listener.labels)
            listener.labels.formUnion(new)
            guard listener.labels.count <= Self.maximumLabelCount else { return (nil, []) }
            state.listeners[authenticator] = listener
            return (listener.end, (state.calls[authenticator] ?? []).filter { new.contains($0.token.label) })
        }
        for call in calls { end?.wake(call.wake) }
    }

    /// Forgets the connection of an authenticator. Its clients wait on, those at other nodes there.
    ///
    /// - Returns: its clients here.
    func leave(_ authenticator: AuthenticatorID, _ end: ListenerEnd) -> [ContactCall] {
        let (own, forwarded) = state.withLockedValue { state -> ([ContactCall], [ContactCall]) in
            guard state.listeners[authenticator]?.end == end else { return ([], []) }
            state.listeners[authenticator] = nil
            let calls = state.calls.removeValue(forKey: authenticator) ?? []
            let own = calls.filter { !$0.isForwarded }
            if !own.isEmpty { state.calls[authenticator] = own }
            return (own, calls.filter(\.isForwarded))
        }
        for call in forwarded { call.client.refuse(.unreachable) }
        return own
    }

    /// Announces a client to its authenticator: now if that is connected and lists its label. Otherwise, unless the
    /// token is revoked, a client of this node is announced when it does.
    func call(_ call: ContactCall) -> Standing {
        let (found, end) = state.withLockedValue { state -> (Standing, ListenerEnd?) in
            let found = standing(of: call.token, asked: call.asked, in: state)
            if found == .reachable || found != .revoked && !call.isForwarded {
                state.calls[call.token.authenticator, default: []].append(call)
            }
            return (found, state.listeners[call.token.authenticator]?.end)
        }
        if found == .reachable { end?.wake(call.wake) }
        return found
    }

    /// Has a client answered in the place of one that has called for the same tunnel, of which its authenticator is
    /// told already.
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

    private func standing(of token: ContactToken, asked: ContinuousClock.Instant?, in state: State) -> Standing {
        guard let listener = state.listeners[token.authenticator] else { return .unreachable }
        return standing(of: token.label, asked: asked, at: listener)
    }

    /// An authenticator that registers lists all its labels: a client that had asked before, and has none of them, is
    /// revoked, whatever the nodes have heard of each other (TS-CON-53).
    private func standing(
        of label: ContactLabel, asked: ContinuousClock.Instant?, at listener: Listener
    ) -> Standing {
        if listener.labels.contains(label) { return .reachable }
        return !isNode || asked.map { $0 < listener.challenged } == true ? .revoked : .unlisted(listener.end)
    }
}
