import NIOCore

/// Hands written bytes on to TLS in portions, each of which is flushed before the next.
///
/// NIOSSL seals all that is written until a flush into one buffer, which grows with it and stays as large as it was for
/// as long as the connection lives (swift-nio-ssl 2.37 sets no limit, whatever its configuration says). So a peer
/// that had a long message passed on to each of its connections once would hold a megabyte with each of them.
final class OutboundPortionHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The bytes of a portion, sealed: those that NIOSSL's buffer has room for from the beginning.
    static let byteCount = 16_384
    /// The most bytes that a record has beside its contents: 5 of its head, 8 of a nonce (TLS 1.2) and 16 of a tag.
    static let recordOverhead = 29

    private var unflushed = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = unwrapOutboundIn(data)
        while unflushed + Self.recordOverhead + bytes.readableBytes > Self.byteCount {
            let room = max(0, Self.byteCount - unflushed - Self.recordOverhead)
            if room > 0, let portion = bytes.readSlice(length: room) {
                context.write(wrapOutboundOut(portion), promise: nil)
            }
            flush(context: context)
        }
        unflushed += Self.recordOverhead + bytes.readableBytes
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        unflushed = 0
        context.flush()
    }
}
