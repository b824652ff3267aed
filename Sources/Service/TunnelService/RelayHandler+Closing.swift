import HybridProtocol
import NIOCore
import NIOWebSocket

/// The ways in which an end of a tunnel ends. Each tells the other end once, and frees the tunnel ID
/// (HT-TUN-52, HT-TUN-43, HT-TUN-55).
///
/// | event at one end | its peer gets | the other end's peer gets |
/// |---|---|---|
/// | its peer closes with a code | the same code | that code |
/// | its peer closes without a code | no code | 1000 |
/// | its connection is lost, or falls silent | | 1001 |
/// | its peer breaks a rule | 1002, 1003, 1007 or 1009 | 1001 |
/// | its peer reaches a limit on messages, frames, fragments, TLS records, bytes or time | 1008 | 1001 |
/// | the service has no memory for its message | 1013 | 1001 |
/// | others need the place of its connection | 1013 | 1013 |
/// | the tunnel's time is over, or the service ends | 1001 | 1001 |
extension RelayHandler {
    /// Closes, since the other end has ended.
    func peerEnded(_ code: CloseCode, _ reason: EndReason) {
        guard isOpen else { return }
        release(reason)
        startClosing(code)
    }

    /// Answers our peer's Close frame.
    ///
    /// A code that an endpoint may send is relayed as it is, the absence of one as 1000. The reason is not relayed.
    func peerCloses(_ payload: ByteBuffer, _ code: CloseCode?) {
        let code = code ?? .normal
        tellPeer(code, .closed)
        release(.closed, code)
        phase = .closed
        answerClose(payload, code)
    }

    /// Closes the connection of a peer that broke a rule or reached a limit, and reads no more of it.
    func fail(_ code: CloseCode, _ reason: EndReason) {
        guard isOpen else { return }
        tellPeer(.goingAway, reason)
        release(reason)
        phase = .closed
        connection.discardInput()
        sendLast(code)
    }

    /// Takes note that our peer's connection is gone.
    func lost() {
        if isOpen {
            tellPeer(.goingAway, .lost)
            release(.lost)
        }
        phase = .closed
    }

    /// Closes both ends, since the time is over.
    func expire(_ reason: EndReason) {
        guard isOpen else { return }
        tellPeer(.goingAway, reason)
        release(reason)
        startClosing(.goingAway)
    }

    func evict() {
        guard isOpen else { return connection.close() }
        tellPeer(.tryAgainLater, .evicted)
        release(.evicted)
        startClosing(.tryAgainLater)
    }

    func drain() {
        // Its second end may still join.
    }

    func goAway() { expire(.drained) }

    func exceededRecordRate() { fail(.policyViolation, .limit) }

    /// True if the tunnel lives, for all that this end knows.
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
    /// joined already and this end had not been told: then it gets the messages for it, and this code.
    private func release(_ reason: EndReason, _ code: CloseCode = .goingAway) {
        phase = .closing
        connection.standing = .closing
        if let reservation = reservation.take(), relay.tunnelEnded(reservation, reason) {
            deferredClose = DeferredClose(messages: early, code: code, reason: reason)
        }
        dropHeldBytes()
    }

    /// Delivers to the other end the messages and the code that it would have got if it had been known in time.
    func deliverDeferredClose(to other: TunnelEnd) {
        for message in deferredClose.messages { other.deliver(message) }
        other.end(deferredClose.code, deferredClose.reason)
        deferredClose = DeferredClose()
    }

    private func startClosing(_ code: CloseCode) {
        sendClose(code)
        readIfAllowed()
    }
}
