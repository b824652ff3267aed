import NIOCore

/// How one end of a tunnel reaches the other, which may live on another event loop.
///
/// Everything said to an end is queued on its event loop, also where that is our own: so it arrives in the order in
/// which it was said, and never while the end is in the middle of something else.
struct TunnelEnd: Sendable {
    private let eventLoop: any EventLoop
    private let handler: NIOLoopBound<RelayHandler>

    /// The end that a handler on `eventLoop` serves. To be made on that event loop.
    init(_ handler: RelayHandler, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    /// The other end has come, and this is it. Said to the end that opened the tunnel, before anything else.
    func attach(_ other: TunnelEnd) { tell { $0.attached(other) } }

    /// Here is a message to send.
    func deliver(_ message: ByteBuffer) { tell { $0.deliver(message) } }

    /// `count` messages that you forwarded are on their way, and there is room for more.
    func acknowledge(_ count: Int) { tell { $0.acknowledged(count) } }

    /// The tunnel ends; close with this code, once what was delivered before is sent.
    func end(_ code: CloseCode, _ reason: EndReason) { tell { $0.peerEnded(code, reason) } }

    private func tell(_ message: @escaping @Sendable (RelayHandler) -> Void) {
        eventLoop.execute { message(handler.value) }
    }
}
