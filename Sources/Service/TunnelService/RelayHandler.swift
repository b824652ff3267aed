import HybridProtocol
import NIOCore
import NIOWebSocket
import TunnelClient

/// The handler of a connection that is one end of a tunnel, after its request.
///
/// Messages go from end to end as a whole. An end reads on only when everything that it has passed on has been taken by
/// the other end's connection, so a slow reader slows its peer down instead of filling memory; messages of the end that
/// opened the tunnel wait here until the other is there, and are bounded by one read in the same way.
final class RelayHandler: ChannelInboundHandler, WebSocketHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = ByteBuffer

    /// The role of an end.
    enum Role {
        /// It opened the tunnel, and frees its ID in the end: an authenticator with a QR code, or a client with a
        /// contact ID.
        case opener(TunnelReservation)
        /// It joined the tunnel that this end opened.
        case joiner(of: TunnelEnd)
    }

    /// The phases of an end.
    enum Phase {
        /// The other end has not come yet.
        case waiting
        /// Both ends are there; this is the other one.
        case joined(TunnelEnd)
        /// Our Close frame is sent or under way; all input is dropped but the peer's Close frame.
        case closing
        /// Nothing more is sent.
        case closed
    }

    /// The messages and the close for another end that joined before this one ended, and of which this one had not been
    /// told.
    struct DeferredClose {
        var messages: [ByteBuffer] = []
        var code = CloseCode.goingAway
        var reason = EndReason.lost
    }

    /// A message or a frame, by the numbers of those before.
    struct MessagePart: Equatable {
        let messages: Int
        let frames: Int
    }

    /// True if both ends have sent messages.
    var hasBothSpoken: Bool { messages > 0 && isSpokenTo }

    /// The longest payload of a control frame (RFC 6455 section 5.5), bytes.
    static let largestControlPayload = 125

    let relay: Relay
    let connection: ConnectionHandler
    var context: ChannelHandlerContext?
    var phase = Phase.waiting
    /// The right to free the tunnel ID, at the end that opened the tunnel.
    var reservation: TunnelReservation?
    /// True if our peer is sent the signal when the other end has come.
    var signalsJoining = false
    /// Work that has to be done before the other end joins.
    var beforeJoining: (() -> Void)?

    /// Messages that our peer sent before the other end came.
    var early: [ByteBuffer] = []
    /// Delivered to another end of which this one is told only after it has ended.
    var deferredClose = DeferredClose()
    /// The number of messages that the other end has not acknowledged.
    var unacknowledged = 0
    /// The number of the other end's messages that were written here, and wait to be flushed or for room.
    var owedAcknowledgements = 0
    /// The other end, if messages were written to it in this turn.
    var unflushedPeer: TunnelEnd?
    /// True while a read is under way.
    var isReading = false
    var unansweredPing: ByteBuffer?
    /// The end of the wait for the other end, of the tunnel's time, or of the closing.
    var deadline = NIODeadline.distantFuture
    var lastPing = NIODeadline.now()

    private var joiner: FrameJoiner<ByteBufferView>
    private var messages = 0
    /// True if the other end has sent a message.
    var isSpokenTo = false
    /// The end of the time that a ceremony has, from when both ends were there.
    var ceremonyEnd = NIODeadline.distantFuture
    /// True if a message came or went since the last tick.
    var isActive = true
    /// The time of the first tick after the last message.
    var lastMessage = NIODeadline.now()
    /// The part that was not whole at the last tick, and when it was first so.
    var unfinished: (part: MessagePart, since: NIODeadline)?
    /// Holds the bytes that are no frame yet.
    private var portions: PortionHandler<FramePortions>?
    /// The used part of the rate of frames.
    private var frames = TokenBucket()
    /// The bytes that had come in before the tunnel began.
    private let requestBytes: Int
    /// The number of frames that came.
    private var frameCount = 0
    /// The bytes that the frames had on the wire, approximately.
    private var frameBytes = 0
    private var heldBytes = 0
    private var passedOnBytes = 0
    /// The time at which the first of those messages came that the other end has not acknowledged.
    private(set) var passedOnSince = NIODeadline.now()

    /// An end that has not begun.
    init(relay: Relay, connection: ConnectionHandler) {
        self.relay = relay
        self.connection = connection
        joiner = Self.joiner(relay.limits)
        requestBytes = connection.receivedBytes
    }

    /// Begins as one end or the other.
    func begin(_ role: Role) {
        switch role {
        case .opener(let reservation):
            self.reservation = reservation
            deadline = .now() + relay.times.pending
        case .joiner(let opener):
            phase = .joined(opener)
            beginCeremony()
        }
    }

    /// The message of which fragments are here, or else the frame that has begun, by the number of those before.
    var unfinishedPart: MessagePart {
        MessagePart(messages: messages, frames: joiner.heldByteCount > 0 ? 0 : frameCount)
    }

    /// The bytes of a message that is not whole yet.
    var unfinishedByteCount: Int { joiner.heldByteCount + (portions?.unreadByteCount ?? 0) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        portions = try? context.pipeline.syncOperations.handler(type: PortionHandler<FramePortions>.self)
        readIfAllowed()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // A handler that is added while the connection ends is not told of the end.
        lost()
        self.context = nil
        portions = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        lost()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        frameCount += 1
        frameBytes += FrameLength.masked(payload: frame.length)
        switch phase {
        case .waiting, .joined:
            if connection.receivedBytes - requestBytes <= relay.limits.bytesPerSide, mayTakeFrame() {
                take(frame)
            } else {
                fail(.policyViolation, .limit)
            }
        case .closing:
            if frame.opcode == .connectionClose || !mayTakeFrame() { connection.finish() }
        case .closed:
            break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        unflushedPeer.take()?.flush()
        answerPing()
        isReading = false
        chargeHeldBytes()
        readIfAllowed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { roomToWrite() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let code = CloseCode(framing: error) {
            fail(code, .violation)
        } else {
            connection.close()
        }
    }

    private func take(_ frame: WebSocketFrame) {
        do throws(FramingViolation) {
            switch try joiner.join(frame) {
            case .message(let message): take(ByteBuffer(message))
            case .partial, .pong: break
            case .ping(let payload): unansweredPing = ByteBuffer(payload)
            case .close(let payload): peerCloses(ByteBuffer(payload), try CloseCode.read(payload))
            }
        } catch {
            fail(error.closeCode, error == .tooManyFragments ? .limit : .violation)
        }
    }

    private func mayTakeFrame() -> Bool { frames.take(of: relay.limits.tunnelFrames, at: .now()) == nil }

    private func take(_ message: ByteBuffer) {
        guard messages < relay.limits.messagesPerSide else { return fail(.policyViolation, .limit) }
        messages += 1
        noteMessage()
        if case .joined(let peer) = phase {
            passOn(message, to: peer)
        } else {
            early.append(message)
        }
    }

    /// Writes a message to the other end, which has to be flushed.
    func passOn(_ message: ByteBuffer, to peer: TunnelEnd) {
        if unacknowledged == 0 { passedOnSince = .now() }
        unacknowledged += 1
        passedOnBytes += message.readableBytes
        unflushedPeer = peer
        peer.deliver(message)
    }

    /// Counts the bytes that this end holds against the budget of all connections.
    func chargeHeldBytes() {
        guard isOpen else { return }
        if unacknowledged == 0 { passedOnBytes = 0 }
        // A peer that writes lengths longer than needed makes this a little too much: hence the upper bound.
        let unframed = min(
            max(0, connection.receivedBytes - requestBytes - frameBytes),
            FrameLength.masked(payload: relay.limits.messageBytes)
        )
        let early = early.reduce(0) { $0 + $1.readableBytes }
        setHeldBytes(unframed + joiner.heldByteCount + early + passedOnBytes)
    }

    /// Counts this end out of the budget, and drops the bytes that it holds.
    func dropHeldBytes() {
        early = []
        unansweredPing = nil
        joiner = Self.joiner(relay.limits)
        setHeldBytes(0)
    }

    private static func joiner(_ limits: TunnelService.Limits) -> FrameJoiner<ByteBufferView> {
        FrameJoiner(
            of: .client, maximumByteCount: limits.messageBytes, maximumFragmentCount: limits.fragmentsPerMessage)
    }

    private func setHeldBytes(_ count: Int) {
        if count == heldBytes { return }
        let isWithinBudget = relay.budget.adjust(by: count - heldBytes, of: connection.address)
        let isMore = count > heldBytes
        heldBytes = count
        if isMore, !isWithinBudget, count > TunnelService.Limits.guaranteedBytes { fail(.tryAgainLater, .limit) }
    }
}

/// A reference to one end of a tunnel for the other, on the event loop of both.
///
/// Messages and their acknowledgements are passed on at once, and flushed together at the end of a turn of reading. The
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

    /// Sends the messages passed on.
    func flush() { handler.value.flushDelivered() }

    /// Tells that `count` of its messages are on their way, and that there is room for more.
    func acknowledge(_ count: Int) { handler.value.acknowledged(count) }

    /// Closes the end with this code, once the messages delivered before are sent.
    func end(_ code: CloseCode, _ reason: EndReason) { tell { $0.peerEnded(code, reason) } }

    private func tell(_ message: @escaping @Sendable (RelayHandler) -> Void) {
        eventLoop.execute { message(handler.value) }
    }
}
