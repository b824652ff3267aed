import NIOCore

/// The handler of a connection from a trusted proxy until its header is read, next to the wire.
///
/// Nothing behind it sees a byte before that, and no byte of the header. A connection that begins with anything else is
/// closed. The time for the header is part of the request's.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let relay: Relay
    private let connection: ConnectionHandler
    private let request: RequestHandler
    private var received = ByteBuffer()
    private var isOver = false

    /// Makes a handler for a connection that is counted without an address.
    init(relay: Relay, connection: ConnectionHandler, request: RequestHandler) {
        self.relay = relay
        self.connection = connection
        self.request = request
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        do throws(ProxyHeaderError) {
            let beginning = Array(received.readableBytesView.prefix(ProxyHeader.maximumByteCount))
            guard let header = try ProxyHeader.read(beginning) else { return }
            received.moveReaderIndex(forwardBy: header.byteCount)
            admit(header.source, context)
        } catch {
            close(context)
        }
    }

    private func admit(_ source: ProxyHeader.Source, _ context: ChannelHandlerContext) {
        let address =
            switch source {
            case .proxy: AddressKey(context.channel.remoteAddress)
            case .peer(let address, _): AddressKey(ip: address)
            }
        switch connection.identify(address) {
        case .served: break
        case .refused(let refusal): request.refusal = refusal
        case .dropped: return close(context)
        }
        isOver = true
        if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
        received.clear()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func close(_ context: ChannelHandlerContext) {
        isOver = true
        relay.metrics.connectionDropped()
        context.close(promise: nil)
    }
}
