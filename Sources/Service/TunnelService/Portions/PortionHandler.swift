import NIOCore

/// A way to divide the input of a connection into portions of bounded work.
protocol InboundPortions {
    /// Hands on the next portion.
    ///
    /// - Parameter bytes: the bytes that were not handed on yet; those of the portion are taken out of them.
    /// - Returns: true if there may be another portion in the rest, false if more bytes must come first.
    mutating func handOn(from bytes: inout ByteBuffer, in context: ChannelHandlerContext) throws -> Bool
}

/// Hands on one portion of a connection's input, then lets all others have their turn before the next, in
/// ``PortionTurns``: a read that is full of tiny pieces does not hold up the event loop. After such a read the next one
/// waits for a turn, too: else those that flood would be read from as often as all others are.
///
/// Nothing more is read until everything that has come is handed on, and nothing is handed on that is not asked for.
final class PortionHandler<Portions: InboundPortions>: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never

    /// The portions that are handed on at once when the connection has ended: those of one read, and more.
    private static var lastPortions: Int { 64 }

    private var portions: Portions
    private let turns: PortionTurns
    private var context: ChannelHandlerContext?
    private var unread = ByteBuffer()
    /// True if there may be another portion in the unread bytes.
    private var hasMore = false
    /// True if more has been asked for.
    private var isAwaited = false
    private var isScheduled = false
    /// True if the last read brought more than a portion.
    private var isBusy = false
    private var isHandingOn = false
    private var hasFailed = false

    /// The number of bytes that have come and have not been handed on.
    var unreadByteCount: Int { unread.readableBytes }

    /// Makes a handler that takes part in these turns.
    init(_ portions: Portions, turns: PortionTurns) {
        self.portions = portions
        self.turns = turns
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        unread = ByteBuffer()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        append(unwrapInboundIn(data))
        if !hasMore, !isHandingOn { handOn(in: context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isAwaited = false
        context.fireChannelReadComplete()
    }

    /// Closes the connection without asking the handlers behind this one.
    func close() { context?.close(promise: nil) }

    /// Ends a read that the socket has not ended: its bytes were handed on later.
    func endRead() {
        if let context { channelReadComplete(context: context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        var count = 0
        while hasMore, !isHandingOn, count < Self.lastPortions {
            handOn(in: context)
            count += 1
        }
        hasMore = false
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        isAwaited = true
        if isBusy {
            schedule(in: context)
        } else {
            context.read()
        }
    }

    private func schedule(in context: ChannelHandlerContext) {
        guard !isScheduled else { return }
        isScheduled = true
        turns.wait(in: context.eventLoop) {
            self.isScheduled = false
            guard let context = self.context, self.isAwaited else { return }
            guard self.hasMore else {
                self.isBusy = false
                return context.read()
            }
            self.handOn(in: context)
            self.channelReadComplete(context: context)
        }
    }

    private func handOn(in context: ChannelHandlerContext) {
        isHandingOn = true
        defer { isHandingOn = false }
        var bytes = ByteBuffer()
        swap(&bytes, &unread)
        do {
            hasMore = try portions.handOn(from: &bytes, in: context)
        } catch {
            (hasFailed, hasMore, unread) = (true, false, ByteBuffer())
            return context.fireErrorCaught(error)
        }
        let late = unread
        unread = bytes
        if late.readableBytes > 0 {
            append(late)
            hasMore = true
        }
        if hasMore { isBusy = true }
        if unread.readableBytes == 0 {
            // Anyone who reads can use the memory again.
            unread = ByteBuffer()
        } else if unread.readerIndex >= unread.readableBytes {
            // No more is moved than has been handed on.
            unread.discardReadBytes()
        }
    }

    private func append(_ bytes: ByteBuffer) {
        if unread.readableBytes == 0 {
            unread = bytes
        } else {
            unread.writeImmutableBuffer(bytes)
        }
    }
}
