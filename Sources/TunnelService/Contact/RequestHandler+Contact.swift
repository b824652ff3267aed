import ContactProtocol
import NIOCore
import NIOHTTP1

/// A client's request to `contact` that is not answered yet: its authenticator has to know of it first.
struct PendingContact {
    /// The request.
    let head: HTTPRequestHead
    /// Whether the client is told when the authenticator has joined.
    let signals: Bool
    /// The client's end of the tunnel, to be. It is registered already: the authenticator may be quicker than our answer.
    let handler: RelayHandler
    /// The right to free the tunnel ID.
    let right: TunnelRegistry.Ticket
    /// What the authenticator is told.
    let call: ContactCall
}

/// The contact side's requests.
extension RequestHandler {
    /// An authenticator wants to be woken.
    func listen(_ head: HTTPRequestHead) throws(Refusal) {
        guard let desk = relay.contacts else { throw .unknownPath }
        let handler = ListenHandler(
            relay: relay, connection: connection, desk: desk, host: try relay.upgrade.hostName(head))
        upgrade(head, to: handler, headers: [], maximumMessageBytes: AuthenticatorMessage.maximumByteCount)
        handler.begin()
    }

    /// A client wants an authenticator to be woken: opens the tunnel, has the authenticator told, and waits for it to know.
    func call(_ contactID: [UInt8], _ head: HTTPRequestHead) throws(Refusal) {
        guard let desk = relay.contacts else { throw .unknownPath }
        guard let context else { return }
        let headers = try ContactHeaders(head.headers)
        let ticket = try desk.admit(contactID, from: connection.address)
        guard let tunnelID = TunnelID.random() else { throw .broken }
        let handler = RelayHandler(relay: relay, connection: connection)
        let right = try relay.registry.open(tunnelID, opener: TunnelEnd(handler, eventLoop: context.eventLoop))
        handler.signalsJoining = headers.asksForSignal
        handler.beforeJoining = { [weak self] in self?.acceptCall() }
        let call = ContactCall(
            ticket: ticket,
            wake: ServiceMessage.Wake(
                contactID: contactID, tunnelID: tunnelID.bytes, routingID: relay.configuration.routingID.bytes,
                clientPayload: headers.clientPayload),
            client: CallingClient(self, eventLoop: context.eventLoop))
        progress = .calling(
            PendingContact(head: head, signals: headers.asksForSignal, handler: handler, right: right, call: call))
        deadline = .now() + relay.times.contactHold
        try desk.registry.call(call)
    }

    /// The authenticator knows of the client: answers 101.
    func acceptCall() {
        guard case .calling(let pending) = progress else { return }
        forget(pending.call)
        pending.handler.beforeJoining = nil
        pending.handler.begin(.opener(pending.right))
        upgrade(pending.head, to: pending.handler, headers: pending.signals ? [ContactHeaders.signal] : [])
        relay.contactOpened(pending.right)
    }

    /// The authenticator will not come.
    func refuseCall(_ refusal: Refusal) {
        if case .calling = progress { refuse(refusal) }
    }

    /// Frees what a request holds that will not be answered with 101.
    func hangUp() {
        guard case .calling(let pending) = progress else { return }
        progress = .done
        forget(pending.call)
        relay.registry.close(pending.right)
    }

    private func forget(_ call: ContactCall) {
        relay.contacts?.registry.hangUp(call.ticket.authenticator, tunnelID: call.wake.tunnelID)
    }
}
