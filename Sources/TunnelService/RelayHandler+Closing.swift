import NIOCore
import NIOWebSocket

/// The ways in which an end of a tunnel ends. Each tells the other end once, and frees the tunnel ID.
///
/// | what happens at one end | its peer gets | the other end's peer gets |
/// |---|---|---|
/// | its peer closes with a code | the same code | that code |
/// | its peer closes without a code | no code | 1000 |
/// | its connection is lost, or falls silent | | 1001 |
/// | its peer breaks a rule | 1002, 1003, 1007 or 1009 | 1001 |
/// | its peer reaches a limit on messages or bytes | 1008 | 1001 |
/// | the service has no memory for its message | 1013 | 1001 |
/// | the tunnel's time is over, or the service ends | 1001 | 1001 |
extension RelayHandler {
    /// The other end has ended.
    func peerEnded(_ code: CloseCode, _ reason: EndReason) {
        guard isOpen else { return }
        release(reason)
        startClosing(code)
    }

    /// Our peer sent a Close frame.
    func peerCloses(_ payload: ByteBuffer) {
        switch CloseCode.read(payload) {
        case .violation(let code): fail(code, .violation)
        case .code(let code):
            tellPeer(code, .closed)
            release(.closed, code)
            phase = .closed
            answerClose(payload, code)
        }
    }

    /// Our peer broke a rule or reached a limit: what it sends is not worth reading any more.
    func fail(_ code: CloseCode, _ reason: EndReason) {
        guard isOpen else { return }
        tellPeer(.goingAway, reason)
        release(reason)
        phase = .closed
        connection.discardInput()
        sendLast(code)
    }

    /// Our peer's connection is gone.
    func lost() {
        if isOpen {
            tellPeer(.goingAway, .lost)
            release(.lost)
        }
        phase = .closed
    }

    /// The time is over.
    func expire(_ reason: EndReason) {
        guard isOpen else { return }
        tellPeer(.goingAway, reason)
        release(reason)
        startClosing(.goingAway)
    }

    func drain() {
        if case .waiting = phase { expire(.drained) }
    }

    func goAway() { expire(.drained) }

    /// Whether the tunnel lives, for all that this end knows.
    var isOpen: Bool {
        switch phase {
        case .waiting, .joined: true
        case .closing, .closed: false
        }
    }

    private func tellPeer(_ code: CloseCode, _ reason: EndReason) {
        if case .joined(let peer) = phase { peer.end(code, reason) }
    }

    /// Frees the tunnel ID and everything held. After this the other end can no longer be told anything, unless it had
    /// come already and this end had not heard of it: then it gets what was meant for it, and this code.
    private func release(_ reason: EndReason, _ code: CloseCode = .goingAway) {
        phase = .closing
        if let ticket = ticket.take(), relay.tunnelEnded(ticket, reason) {
            farewell = Farewell(messages: early, code: code, reason: reason)
        }
        dropHeldBytes()
    }

    /// Says to the other end what it would have heard if it had been known in time.
    func sayFarewell(to other: TunnelEnd) {
        for message in farewell.messages { other.deliver(message) }
        other.end(farewell.code, farewell.reason)
        farewell = Farewell()
    }

    private func startClosing(_ code: CloseCode) {
        sendClose(code)
        readIfAllowed()
    }
}
