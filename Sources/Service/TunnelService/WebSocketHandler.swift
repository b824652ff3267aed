import HybridProtocol
import NIOCore
import NIOWebSocket
import TunnelClient

/// The handler of a connection that has become a WebSocket: answers pings, notices a peer that has fallen silent, and
/// closes so that the peer can read the code.
protocol WebSocketHandler: PhaseHandler {
    var relay: Relay { get }
    var connection: ConnectionHandler { get }
    var context: ChannelHandlerContext? { get }
    /// The latest ping that is not answered yet.
    var unansweredPing: ByteBuffer? { get set }
    /// The time of the last ping.
    var lastPing: NIODeadline { get set }
    /// The end of the closing, or of the phase before it.
    var deadline: NIODeadline { get set }
}

extension WebSocketHandler {
    /// Answers the latest ping, if there is one and there is room.
    ///
    /// It is called at the end of a turn of reading, and when there is room again. Of several pings only the latest is
    /// answered, as RFC 6455 section 5.5.3 allows: they cost no write each, and those of a peer that does not read do
    /// not pile up.
    func answerPing() {
        guard context?.channel.isWritable == true, let payload = unansweredPing.take() else { return }
        send(.pong, payload)
    }

    /// Pings a peer that has been silent for `interval`.
    ///
    /// - Returns: true if it has been silent for `silence`, and counts as lost.
    func isSilent(_ now: NIODeadline, pingAfter interval: TimeAmount, for silence: TimeAmount) -> Bool {
        if now >= connection.lastReceived + silence { return true }
        if now >= max(connection.lastReceived, lastPing) + interval, context?.channel.isWritable == true {
            lastPing = now
            send(.ping, ByteBuffer())
        }
        return false
    }

    /// Sends a frame.
    func send(_ opcode: WebSocketOpcode, _ payload: ByteBuffer) {
        context?.writeAndFlush(NIOAny(ByteBuffer(frame: opcode, payload)), promise: nil)
    }

    /// Sends a Close frame and waits for the peer's. The time for that runs from when the frame is on its way; a peer
    /// that does not even let it out has as long as one that acknowledges nothing.
    func sendClose(_ code: CloseCode) {
        guard let context else { return }
        deadline = .now() + relay.times.userTimeout
        connection.startClosing()
        context.writeAndFlush(NIOAny(code.frame)).assumeIsolated().whenSuccess {
            self.deadline = .now() + self.relay.times.close
        }
    }

    /// Sends a Close frame as the last thing, and ends the connection.
    func sendLast(_ code: CloseCode) { sendLast(code.frame) }

    /// Answers the peer's Close frame, and ends the connection.
    func answerClose(_ payload: ByteBuffer, _ code: CloseCode) {
        if payload.readableBytes == 0 {
            sendLast(ByteBuffer(frame: .connectionClose, payload))
        } else {
            sendLast(code)
        }
    }

    private func sendLast(_ frame: ByteBuffer) {
        guard let context else { return }
        let connection = NIOLoopBound(self.connection, eventLoop: context.eventLoop)
        context.writeAndFlush(NIOAny(frame)).whenComplete { _ in connection.value.finish() }
    }
}
