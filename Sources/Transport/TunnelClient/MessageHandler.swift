internal import HybridProtocol
internal import NIOCore
internal import NIOWebSocket

/// The last handler of the pipeline: turns frames into messages, answers pings, keeps the connection alive, and closes.
///
/// Source: RFC 6455 sections 5.5 and 7.
final class MessageHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// Messages go both ways.
        case open
        /// Our Close frame is on its way, or none will be; further frames are passed over until the peer has gone.
        case ending
    }

    private let inbox: Inbox
    private let socket: SocketGuard
    private let idleTimeout: TimeAmount
    private let closeTimeout: TimeAmount
    private var joiner: FrameJoiner<ByteBufferView>
    private var state = State.open
    /// The payload of the last ping that could not be answered yet, because the peer does not read.
    private var unansweredPing: ByteBuffer?
    /// The time of a ping that the peer has not answered yet.
    private var pingedAt: NIODeadline?
    private var idleCheck: Scheduled<Void>?

    init(inbox: Inbox, socket: SocketGuard, configuration: TunnelClient.Configuration) {
        self.inbox = inbox
        self.socket = socket
        self.idleTimeout = TimeAmount(configuration.idleTimeout)
        self.closeTimeout = TimeAmount(configuration.closeTimeout)
        self.joiner = FrameJoiner(of: .server, maximumByteCount: configuration.messageLimit)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        scheduleIdleCheck(at: .now() + idleTimeout, context: context)
    }

    // MARK: Incoming frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        socket.noteActivity()
        let frame = unwrapInboundIn(data)
        guard state == .open else {
            // The peer's answer to our Close, or a frame that it sent before it had read that.
            if frame.opcode == .connectionClose { context.close(promise: nil) }
            return
        }
        do throws(FramingViolation) {
            switch try joiner.join(frame) {
            case .message(let message):
                TunnelLog.note("received", byteCount: message.count)
                inbox.deliver(Array(message))
            case .partial, .pong: break
            case .ping(let payload): answer(ping: ByteBuffer(payload), context: context)
            case .close(let payload): answer(close: try CloseCode.read(payload), context: context)
            }
        } catch {
            refuse(error, context: context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: refuse(.tooLong, context: context)
        case is NIOWebSocketError: refuse(.badControlFrame, context: context)
        // Bytes behind a frame that could not be decoded; that frame has been refused.
        case is ByteToMessageDecoderError: break
        default:
            let cause = (error as? IOError).map(DataChannelError.description(of:)) ?? "it ended without a close"
            end(DataChannelError(.connectionLost, reason: "the connection broke: \(cause)"))
            socket.drop()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(DataChannelError(.connectionLost, reason: "the connection ended without a close"))
        context.fireChannelInactive()
    }

    private func answer(ping payload: ByteBuffer, context: ChannelHandlerContext) {
        // A peer that pings and does not read must not fill our memory: only the last ping is answered
        // (RFC 6455 section 5.5.3).
        guard context.channel.isWritable else { return unansweredPing = payload }
        write(.pong, payload, context: context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if state == .open, context.channel.isWritable, let payload = unansweredPing {
            unansweredPing = nil
            write(.pong, payload, context: context)
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Reading only while there is room

    func read(context: ChannelHandlerContext) {
        if state == .ending || inbox.admitsReading() { context.read() }
    }

    // MARK: Outgoing frames

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state == .open else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(data, promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard case SocketCommand.close? = event as? SocketCommand else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if state == .open {
            end(DataChannelError(.closed, reason: "the tunnel was closed here"))
            sendClose(.normal, context: context)
            awaitPeer(context: context)
        }
        promise?.succeed()
    }

    // MARK: The end

    private func answer(close code: CloseCode?, context: ChannelHandlerContext) {
        end(DataChannelError(closedWith: code))
        sendClose(code ?? .normal, context: context)
        context.close(promise: nil)
        awaitPeer(context: context)
    }

    private func refuse(_ violation: FramingViolation, context: ChannelHandlerContext) {
        guard state == .open else { return }
        end(DataChannelError(violation))
        sendClose(violation.closeCode, context: context)
        // Closing at once, with bytes unread, would reset the connection and take our Close frame with it.
        awaitPeer(context: context)
    }

    private func end(_ error: DataChannelError) {
        state = .ending
        idleCheck?.cancel()
        inbox.end(error, keepingMessages: true)
    }

    private func awaitPeer(context: ChannelHandlerContext) {
        let cut = context.eventLoop.assumeIsolated().scheduleTask(in: closeTimeout) { self.socket.drop() }
        context.channel.closeFuture.whenComplete { _ in cut.cancel() }
        // Reading may have stopped; frames that come now are passed over.
        context.read()
    }

    private func sendClose(_ code: CloseCode, context: ChannelHandlerContext) {
        let payload = context.channel.allocator.buffer(integer: code.rawValue)
        write(.connectionClose, payload, context: context)
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(frame: opcode, payload, mask: .random())), promise: nil)
    }

    // MARK: Silence

    private func scheduleIdleCheck(at deadline: NIODeadline, context: ChannelHandlerContext) {
        idleCheck = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.checkForSilence(context: context)
        }
    }

    private func checkForSilence(context: ChannelHandlerContext) {
        guard state == .open else { return }
        // The silence of a peer that is not read cannot be judged.
        if inbox.isReadingHeld { socket.noteActivity() }
        let now = NIODeadline.now()
        if let pinged = pingedAt, pinged >= socket.lastActivity {
            end(DataChannelError(.timeout, reason: "the peer is silent and does not answer a ping"))
            return socket.drop()
        }
        pingedAt = nil
        guard now - socket.lastActivity >= idleTimeout else {
            return scheduleIdleCheck(at: socket.lastActivity + idleTimeout, context: context)
        }
        pingedAt = now
        write(.ping, ByteBuffer(), context: context)
        scheduleIdleCheck(at: now + idleTimeout, context: context)
    }
}
