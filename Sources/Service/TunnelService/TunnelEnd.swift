import HybridProtocol
import NIOCore

/// A reference to one end of a tunnel for the other, on the event loop of both.
///
/// Messages and what belongs to them are passed on at once, and flushed together at the end of a turn of reading. The
/// end of a tunnel is told in a turn of the event loop of its own: so it never comes while the other end is in the
/// middle of something else.
struct TunnelEnd: Sendable {
    private let eventLoop: any EventLoop
    private let handler: NIOLoopBound<RelayHandler>

    /// The end that a handler on `eventLoop` serves. To be made on that event loop.
    init(_ handler: RelayHandler, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    /// Tells the end that opened the tunnel of the other one, before anything else.
    func attach(_ other: TunnelEnd) { handler.value.attached(other) }

    /// Passes on a message to write.
    func deliver(_ message: ByteBuffer) { handler.value.deliver(message) }

    /// Sends what was passed on.
    func flush() { handler.value.flushDelivered() }

    /// Tells that `count` of its messages are on their way, and that there is room for more.
    func acknowledge(_ count: Int) { handler.value.acknowledged(count) }

    /// Closes the end with this code, once what was delivered before is sent.
    func end(_ code: CloseCode, _ reason: EndReason) { tell { $0.peerEnded(code, reason) } }

    /// Ends a tunnel that waits, because others need its place.
    func evict() { tell { $0.evicted() } }

    private func tell(_ message: @escaping @Sendable (RelayHandler) -> Void) {
        eventLoop.execute { message(handler.value) }
    }
}
