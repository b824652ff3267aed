import ContactProtocol
import NIOConcurrencyHelpers

/// The authenticators that are connected, the labels under which they want to be woken, and the clients whose authenticator
/// does not know of them yet.
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

    /// A ticket as things stand.
    enum Standing: Sendable, Equatable {
        /// Its authenticator is connected, and lists its label.
        case reachable
        /// Its authenticator is connected, and does not list its label any more.
        case revoked
        /// Its authenticator is not connected.
        case unreachable
    }

    /// How many labels a connected authenticator may have gained by registrations other than its own connection's.
    private static let maximumLabelCount = 2 * ContactRegistration.maximumLabelCount

    private let state = NIOLockedValueBox(State())

    /// How many authenticators are connected.
    var listenerCount: Int { state.withLockedValue { $0.listeners.count } }
    /// How many clients wait for their authenticator to know of them.
    var callCount: Int { state.withLockedValue { state in state.calls.values.reduce(0) { $0 + $1.count } } }

    /// How a ticket stands.
    func standing(of ticket: ContactTicket) -> Standing { state.withLockedValue { Self.standing(of: ticket, in: $0) } }

    /// Makes a connection the one through which an authenticator is woken, for these labels alone. Clients that wait are
    /// announced again; those of other labels are told that their link is gone.
    func register(_ authenticator: AuthenticatorID, labels: [ContactLabel], at end: ListenerEnd) {
        let (replaced, calls) = state.withLockedValue { state in
            let replaced = state.listeners.updateValue(Listener(end: end, labels: Set(labels)), forKey: authenticator)
            return (replaced?.end, state.calls[authenticator] ?? [])
        }
        if let replaced, replaced != end { replaced.giveWay() }
        for call in calls {
            if labels.contains(call.ticket.label) {
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

    /// The connection of an authenticator is gone. Its clients wait on.
    func leave(_ authenticator: AuthenticatorID, _ end: ListenerEnd) {
        state.withLockedValue { state in
            if state.listeners[authenticator]?.end == end { state.listeners[authenticator] = nil }
        }
    }

    /// Announces a client to its authenticator: now if that is connected, otherwise when it is.
    ///
    /// - Throws: ``Refusal`` with status 410 if the ticket is revoked.
    func call(_ call: ContactCall) throws(Refusal) {
        let (standing, end) = state.withLockedValue { state in
            let standing = Self.standing(of: call.ticket, in: state)
            if standing != .revoked { state.calls[call.ticket.authenticator, default: []].append(call) }
            return (standing, state.listeners[call.ticket.authenticator]?.end)
        }
        switch standing {
        case .reachable: end?.wake(call.wake)
        case .revoked: throw .gone
        case .unreachable: break
        }
    }

    /// Takes back the announcement of a client, if its authenticator does not know of it yet.
    ///
    /// - Returns: The client, if it was still announced.
    @discardableResult
    func hangUp(_ authenticator: AuthenticatorID, tunnelID: [UInt8]) -> ContactCall? {
        state.withLockedValue { state in
            guard var calls = state.calls[authenticator],
                let index = calls.firstIndex(where: { $0.wake.tunnelID == tunnelID })
            else { return nil }
            let call = calls.remove(at: index)
            state.calls[authenticator] = calls.isEmpty ? nil : calls
            return call
        }
    }

    private static func standing(of ticket: ContactTicket, in state: State) -> Standing {
        guard let listener = state.listeners[ticket.authenticator] else { return .unreachable }
        return listener.labels.contains(ticket.label) ? .reachable : .revoked
    }
}
