import NIOCore
import NIOWebSocket

/// What every WebSocket here does alike, whatever it is for: it answers pings, notices a peer that has fallen silent, and
/// closes so that the peer surely reads why.
protocol WebSocketStage: ConnectionStage {
    var relay: Relay { get }
    var connection: ConnectionHandler { get }
    var context: ChannelHandlerContext? { get }
    /// The latest ping that there was no room to answer.
    var unansweredPing: ByteBuffer? { get set }
    /// When the last ping was sent.
    var lastPing: NIODeadline { get set }
    /// When the closing, or what comes before it, is over.
    var deadline: NIODeadline { get set }
}

extension WebSocketStage {
    /// Answers a ping. Without room only the latest one waits for its answer, as RFC 6455 section 5.5.3 allows: pings
    /// from a peer that does not read do not pile up.
    func answerPing(_ payload: ByteBuffer) {
        guard context?.channel.isWritable == true else { return unansweredPing = payload }
        send(WebSocketFrame(fin: true, opcode: .pong, data: payload))
    }

    /// Answers the ping that has waited for room, if there is one.
    func answerWaitingPing() {
        if let payload = unansweredPing.take() { answerPing(payload) }
    }

    /// Pings a peer that has been silent for `interval`.
    ///
    /// - Returns: Whether it has been silent for `silence`, and counts as lost.
    func isSilent(_ now: NIODeadline, pingAfter interval: TimeAmount, for silence: TimeAmount) -> Bool {
        if now >= connection.lastHeard + silence { return true }
        if now >= max(connection.lastHeard, lastPing) + interval, context?.channel.isWritable == true {
            lastPing = now
            send(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
        }
        return false
    }

    /// Sends a frame.
    func send(_ frame: WebSocketFrame) { context?.writeAndFlush(NIOAny(frame), promise: nil) }

    /// Sends a Close frame and waits for the peer's. The time for that runs from when the frame is on its way; a peer
    /// that does not even let it out has as long as a silent one.
    func sendClose(_ code: CloseCode) {
        guard let context else { return }
        deadline = .now() + relay.times.silence
        context.writeAndFlush(NIOAny(code.frame(allocator: context.channel.allocator))).assumeIsolated().whenSuccess {
            self.deadline = .now() + self.relay.times.close
        }
    }

    /// Sends a Close frame as the last thing, and ends the connection.
    func sendLast(_ code: CloseCode) {
        guard let context else { return }
        sendLast(code.frame(allocator: context.channel.allocator))
    }

    /// Answers the peer's Close frame, and ends the connection.
    func answerClose(_ payload: ByteBuffer, _ code: CloseCode) {
        if payload.readableBytes == 0 {
            sendLast(WebSocketFrame(fin: true, opcode: .connectionClose, data: payload))
        } else {
            sendLast(code)
        }
    }

    private func sendLast(_ frame: WebSocketFrame) {
        guard let context else { return }
        let connection = NIOLoopBound(self.connection, eventLoop: context.eventLoop)
        context.writeAndFlush(NIOAny(frame)).whenComplete { _ in connection.value.finish() }
    }
}

extension CloseCode {
    /// With what to close for an error in the pipeline; nil if it is not the peer's framing that is at fault.
    init?(framing error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: self = .messageTooBig
        case is NIOWebSocketError: self = .protocolError
        default: return nil
        }
    }
}
