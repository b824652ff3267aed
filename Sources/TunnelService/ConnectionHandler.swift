import NIOCore

/// The part of a connection that stays from its acceptance to its end, next to the wire (after TLS).
///
/// It counts what comes in, remembers when, and ends the connection so that the peer surely reads our last words: it
/// closes our direction, then reads and drops what the peer still sends, until the peer closes or the time is over.
/// (To close at once with bytes unread would reset the connection and could destroy those words.)
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What the connection is at.
    var stage: (any ConnectionStage)?
    /// The bytes that came in, without TLS's.
    private(set) var receivedBytes = 0
    /// When the last of them came, or when reading was taken up again.
    private(set) var lastHeard = NIODeadline.now()

    /// Whose connection it is.
    let address: AddressKey

    private let relay: Relay
    private var context: ChannelHandlerContext?
    private var endOfDiscarding: NIODeadline?

    /// A connection from this address, which has been counted in.
    init(relay: Relay, address: AddressKey) {
        self.relay = relay
        self.address = address
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        relay.connections(on: context.eventLoop)?.insert(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        stage = nil
        relay.connections(on: context.eventLoop)?.remove(self)
        relay.census.leave(address)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard endOfDiscarding == nil else { return }
        receivedBytes += unwrapInboundIn(data).readableBytes
        noteSignOfLife()
        stage?.heard()
        // The stage may have had enough just now.
        guard endOfDiscarding == nil else { return }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if endOfDiscarding == nil {
            context.fireChannelReadComplete()
        } else {
            context.read()
        }
    }

    /// Starts the count of silence anew.
    func noteSignOfLife() { lastHeard = .now() }

    /// Looks at the deadlines.
    func tick(_ now: NIODeadline) {
        guard let endOfDiscarding else {
            stage?.tick(now)
            return
        }
        if now >= endOfDiscarding { close() }
    }

    /// Stops to listen to the peer: what it still sends is dropped. What we write is still sent.
    func discardInput() {
        guard endOfDiscarding == nil else { return }
        endOfDiscarding = .now() + relay.times.close
        context?.read()
    }

    /// Ends the connection once everything written and flushed is sent.
    func finish() {
        discardInput()
        context?.close(mode: .output, promise: nil)
    }

    /// Closes the connection at once.
    func close() { context?.close(promise: nil) }
}
