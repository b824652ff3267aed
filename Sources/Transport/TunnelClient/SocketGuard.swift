internal import HybridProtocol
internal import NIOCore

/// Commands to a connection that come from outside its event loop.
enum SocketCommand: Sendable {
    /// Cut the connection now, without a Close frame.
    case drop
    /// Close the WebSocket with a Close frame, and the connection with it.
    case close
}

/// The handler next to the socket, below TLS: bounds the bytes before the upgrade, notes the peer's activity, and can
/// cut the connection without TLS's closing handshake. The end of that handshake and the request go out as one packet:
/// until the upgrade, nothing that is written in a read is sent before its end.
final class SocketGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes of a server up to the end of its answer's head, TLS handshake included.
    private static let maximumPreludeByteCount = 1 << 17
    /// The number of bytes that count as activity although they complete no frame.
    private static let activityByteCount = 256

    /// The time of the peer's last activity.
    private(set) var lastActivity = NIODeadline.now()
    private var bytesSinceActivity = 0
    private var remainingPrelude: Int? = maximumPreludeByteCount
    private var isReading = false
    /// True if something that was flushed is held until the end of the read.
    private var isHolding = false
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Takes note of the end of the answer: from here on, the framing bounds the input.
    func preludeEnded() {
        remainingPrelude = nil
        noteActivity()
    }

    /// Takes note that the peer has completed a frame, or cannot be expected to.
    func noteActivity() {
        lastActivity = .now()
        bytesSinceActivity = 0
    }

    /// Cuts the connection.
    func drop() { context?.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        if let left = remainingPrelude {
            guard count <= left else {
                context.fireErrorCaught(
                    DataChannelError(.upgradeRefused, reason: "the tunnel service's answer is too long")
                )
                return drop()
            }
            remainingPrelude = left - count
        }
        bytesSinceActivity += count
        if bytesSinceActivity >= Self.activityByteCount { noteActivity() }
        isReading = true
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
        release(context)
    }

    func flush(context: ChannelHandlerContext) {
        if isReading, remainingPrelude != nil {
            isHolding = true
        } else {
            context.flush()
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        release(context)
        context.close(mode: mode, promise: promise)
    }

    private func release(_ context: ChannelHandlerContext) {
        guard isHolding else { return }
        isHolding = false
        context.flush()
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard case SocketCommand.drop? = event as? SocketCommand else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        drop()
        promise?.succeed()
    }
}
