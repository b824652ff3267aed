import HybridProtocol
import NIOCore
import NIOHTTP1

/// A client's request to `contact` that is not answered yet: its authenticator has to know of it first.
struct PendingContact {
    /// The request.
    let head: HTTPRequestHead
    /// True if the client is sent the signal when the authenticator has joined.
    let signals: Bool
    /// The client's end of the tunnel. It is registered already: the authenticator may be quicker than our answer.
    let handler: RelayHandler
    /// The reserved tunnel ID.
    let reservation: TunnelReservation
    /// The call of which the authenticator is told.
    let call: ContactCall
    /// The time at which the client asked.
    let start = NIODeadline.now()
}

/// The contact side's requests.
extension RequestHandler {
    /// Answers an authenticator that wants to be woken.
    func listen(_ head: HTTPRequestHead) throws(HTTPRefusal) {
        guard let broker = relay.contacts else { throw .unknownPath }
        let handler = ListenHandler(
            relay: relay, connection: connection, broker: broker, host: try relay.upgrade.hostName(head))
        upgrade(head, to: handler, headers: [], maximumMessageBytes: AuthenticatorMessage.maximumByteCount)
        handler.begin()
    }

    /// Opens a tunnel for a client that asks for an authenticator, and has the authenticator told.
    func call(_ contactID: [UInt8], _ head: HTTPRequestHead) throws(HTTPRefusal) {
        guard let broker = relay.contacts else { throw .unknownPath }
        guard let context else { return }
        let headers = ContactHeaders(
            clientPayloads: head.headers[TunnelHeader.clientPayload],
            signals: head.headers[TunnelHeader.signalConnection])
        guard let headers else { throw .badClientPayload }
        let token = try broker.admit(contactID, from: connection.address)
        let tunnelID = TunnelID.random()
        let handler = RelayHandler(relay: relay, connection: connection)
        let reservation = try relay.openTunnel(
            tunnelID, opener: TunnelEnd(handler, eventLoop: context.eventLoop), on: connection)
        handler.signalsJoining = headers.asksForSignal
        handler.beforeJoining = { [weak self] in self?.acceptCall() }
        let call = ContactCall(
            token: token,
            wake: ServiceMessage.Wake(
                contactID: contactID, tunnelID: tunnelID.bytes, routingID: relay.configuration.routingID.bytes,
                clientPayload: headers.clientPayload),
            client: CallingClient(self, eventLoop: context.eventLoop))
        state = .calling(
            PendingContact(
                head: head, signals: headers.asksForSignal, handler: handler, reservation: reservation, call: call))
        deadline = .now() + relay.times.contactHold
        if try !broker.call(call) { relay.cluster?.wake(call) }
    }

    /// Answers 101: the authenticator knows of the client.
    func acceptCall() {
        guard case .calling(let pending) = state else { return }
        forget(pending.call)
        pending.handler.beforeJoining = nil
        pending.handler.begin(.opener(pending.reservation))
        upgrade(pending.head, to: pending.handler, headers: pending.signals ? [.signalConnection] : [])
        relay.contactOpened(pending.reservation, after: .now() - pending.start)
    }

    /// Refuses the client: the authenticator will not come.
    func refuseCall(_ refusal: HTTPRefusal) {
        if case .calling = state { refuse(refusal) }
    }

    /// Frees the resources of a request that will not be answered with 101.
    func cancelCall() {
        guard case .calling(let pending) = state else { return }
        state = .done
        forget(pending.call)
        relay.registry.close(pending.reservation)
    }

    private func forget(_ call: ContactCall) {
        relay.cluster?.forget(call)
        relay.contacts?.registry.removeCall(of: call.token.authenticator, tunnelID: call.wake.tunnelID)
    }
}
