internal import Glibc
internal import NIOCore
internal import NIOPosix

/// The handler below TLS: it learns from TCP whether the peer has read the bytes that were sent.
final class TransportTap: ChannelDuplexHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let delivery: Delivery

    /// The pause between two looks before a close.
    private static let pause = TimeAmount.milliseconds(5)
    /// The looks after which a close waits no more: TCP may keep an acknowledgement back for 40 ms.
    private static let lookCount = 200

    init(_ delivery: Delivery) { self.delivery = delivery }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel
        (channel as? any SocketOptionProvider)?.getTCPInfo().whenSuccess { [delivery] info in
            let unread = PeerSocket.unreadByteCount(channel)
            delivery.received(isAcknowledged: info.tcpi_unacked == 0, unreadByteCount: unread)
            // The peer's end may be here already, before anything of ours answers it.
            if info.tcpi_state != UInt8(TCP_ESTABLISHED) { Self.judge(info, channel, delivery, isLast: false) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        delivery.wrote()
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { Self.look(at: context.channel, delivery, isLast: false) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // A connection that ends with neither the peer's FIN nor our close was reset.
        delivery.reset()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        delivery.reset()
        context.fireErrorCaught(error)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input, !delivery.isSettled else { return context.close(mode: mode, promise: promise) }
        // Where the peer has answered, its own end may be on its way, and says whether it has read everything.
        let least = delivery.hasAnswer ? 2 : 0
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        close(bound, mode: mode, promise: promise, looks: 0, least: least)
    }

    private func close(
        _ bound: NIOLoopBound<ChannelHandlerContext>, mode: CloseMode, promise: EventLoopPromise<Void>?,
        looks: Int, least: Int
    ) {
        let isLast = looks >= Self.lookCount
        if looks >= least { Self.look(at: bound.value.channel, delivery, isLast: isLast) }
        guard !isLast, !delivery.isSettled else { return bound.value.close(mode: mode, promise: promise) }
        bound.value.eventLoop.scheduleTask(in: Self.pause) { [self] in
            close(bound, mode: mode, promise: promise, looks: looks + 1, least: least)
        }
    }

    /// Asks TCP what the peer has acknowledged; on the channel's event loop, the answer is there at once.
    ///
    /// - Parameter isLast: true if TCP will not be asked again.
    private static func look(at channel: any Channel, _ delivery: Delivery, isLast: Bool) {
        (channel as? any SocketOptionProvider)?.getTCPInfo().whenSuccess { info in
            judge(info, channel, delivery, isLast: isLast)
        }
    }

    /// As ``look(at:_:isLast:)``, from anywhere.
    static func ask(_ channel: any Channel, _ delivery: Delivery, isLast: Bool) async {
        guard let info = try? await (channel as? any SocketOptionProvider)?.getTCPInfo().get() else { return }
        judge(info, channel, delivery, isLast: isLast)
    }

    private static func judge(_ info: tcp_info, _ channel: any Channel, _ delivery: Delivery, isLast: Bool) {
        if info.tcpi_state == UInt8(TCP_CLOSE) {
            delivery.reset()
        } else if info.tcpi_unacked == 0, PeerSocket.unreadByteCount(channel) ?? 0 == 0 {
            delivery.settle()
        } else if isLast {
            delivery.giveUp(isAcknowledged: info.tcpi_unacked == 0)
        }
    }
}
