internal import NIOCore

/// Hands on the bytes that a program writes to one of its streams.
final class OutputCollector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let put: @Sendable ([UInt8]) -> Void
    private let end: @Sendable () -> Void

    init(_ put: @escaping @Sendable ([UInt8]) -> Void, whenEnded end: @escaping @Sendable () -> Void) {
        self.put = put
        self.end = end
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        put(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
