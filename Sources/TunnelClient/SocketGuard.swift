internal import Edges
internal import NIOCore

/// Commands to a connection that come from outside its event loop.
enum SocketCommand: Sendable {
    /// Cut the connection now, without a word to the peer.
    case drop
    /// Close the WebSocket in good order, and the connection with it.
    case close
}

/// Stands next to the socket, below TLS: bounds what comes before the upgrade, watches for signs of life, and can cut
/// the connection without the ceremony that TLS makes of it.
final class SocketGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How much a server may send up to the end of its answer's head, TLS handshake included.
    private static let longestPrelude = 1 << 17
    /// How many bytes count as a sign of life although they complete no frame.
    private static let progress = 256

    /// When the peer last gave a sign of life.
    private(set) var lastSign = NIODeadline.now()
    private var bytesSinceSign = 0
    private var preludeLeft: Int? = longestPrelude
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// The answer is complete: from here on, the framing bounds what is taken.
    func preludeIsOver() {
        preludeLeft = nil
        signOfLife()
    }

    /// The peer has completed a frame, or cannot be expected to.
    func signOfLife() {
        lastSign = .now()
        bytesSinceSign = 0
    }

    /// Cuts the connection.
    func drop() { context?.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        if let left = preludeLeft {
            guard count <= left else {
                context.fireErrorCaught(
                    DataChannelError(.upgradeRefused, reason: "the tunnel service's answer is too long")
                )
                return drop()
            }
            preludeLeft = left - count
        }
        bytesSinceSign += count
        if bytesSinceSign >= Self.progress { signOfLife() }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard case SocketCommand.drop? = event as? SocketCommand else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        drop()
        promise?.succeed()
    }
}
