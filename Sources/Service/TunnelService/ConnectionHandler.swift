import NIOCore

/// The handler of a connection that stays from its acceptance to its end, next to the wire (after TLS).
///
/// It counts the bytes that come in, remembers when, and ends the connection so that the peer can read our last bytes:
/// it closes our direction, then reads and drops the peer's bytes, until the peer closes or the time is over. (To close
/// at once with bytes unread would reset the connection and could destroy our last bytes.)
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The handler of the present phase.
    var handler: (any PhaseHandler)?
    /// The bytes that came in, without TLS's.
    private(set) var receivedBytes = 0
    /// The time of the first tick after the last of them came, or after reading was taken up again. (To ask the clock
    /// at every read would cost more than to count its bytes.)
    private(set) var lastReceived = NIODeadline.now()

    /// The address of the peer; that of everybody without one until it is known.
    var address: AddressKey { countedAddress ?? AddressKey(ip: nil) }

    private let relay: Relay
    /// The address for which the connection is counted, once it is known.
    private var countedAddress: AddressKey?
    /// The bytes that came in since the connection began to close.
    private var closingBytes = 0
    /// True if the last read brought something that was dropped.
    private var hasDropped = false
    private var isClosing = false
    /// The used part of the rate of short TLS records.
    private var shortRecords = TokenBucket()
    /// True if nothing has come since the last tick.
    private var isSilent = true
    private var context: ChannelHandlerContext?
    private var endOfDiscarding: NIODeadline?
    /// The place that the connection takes: one of those without an address until its own is known.
    private var place: Place?
    /// Closes the socket under TLS, which would wait for its peer.
    var closeSocket: (() -> Void)?

    /// Makes the handler of a connection from this address, which has been counted in; `nil` if a proxy has yet to name
    /// it.
    init(relay: Relay, address: AddressKey?) {
        self.relay = relay
        countedAddress = address
    }

    /// Counts the connection for the address that its proxy has named.
    func identify(_ address: AddressKey) -> ConnectionCounter.Admission {
        // It has had a place until now, so that nobody need go for it.
        if let place { order.remove(place) }
        let admission = relay.makeRoom(relay.counter.identify(address))
        guard admission != .dropped else { return admission }
        countedAddress = address
        takePlace()
        return admission
    }

    private func takePlace() {
        let place = Place(address: address, connection: self, standing: standing)
        self.place = place
        order.insert(place)
    }

    private var order: EvictionOrder { relay.connections.value.order }

    /// The use of the connection, which decides when it goes if others need its place.
    var standing: Place.Standing {
        get { place?.standing ?? .request }
        set { if let place { order.move(place, to: newValue) } }
    }

    /// Takes note that the peer has said something, or was told something by the other end of its tunnel.
    func renewPlace() { if let place { order.renew(place) } }

    /// Ends the connection, since others need its place: its peer can read why.
    func evict() {
        if isClosing {
            close()
        } else {
            handler?.evict()
        }
    }

    /// Closes the connection and its socket at once, whatever its peer does.
    func closeAtOnce() {
        if let closeSocket { closeSocket() } else { close() }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        relay.connections.value.insert(self)
        takePlace()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        handler = nil
        closeSocket = nil
        relay.connections.value.remove(self)
        if let place = place.take() { order.remove(place) }
        relay.counter.leave(countedAddress)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        if isClosing, !mayStillSend(count) { return close() }
        guard endOfDiscarding == nil else { return hasDropped = true }
        receivedBytes += count
        restartSilence()
        handler?.bytesReceived()
        // The handler may have refused the peer just now.
        guard endOfDiscarding == nil else { return }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if endOfDiscarding == nil {
            context.fireChannelReadComplete()
        } else if hasDropped {
            hasDropped = false
            // Dropped bytes hold up nobody, and take little of the processor, however many of them come.
            relay.connections.value.drops.wait(in: context.eventLoop) { [weak self] in self?.context?.read() }
        } else {
            context.read()
        }
    }

    /// Starts the count of the peer's silence anew.
    func restartSilence() { isSilent = false }

    /// Looks at the deadlines.
    func tick(_ now: NIODeadline) {
        if !isSilent { lastReceived = now }
        isSilent = true
        guard let endOfDiscarding else {
            handler?.tick(now)
            return
        }
        if now >= endOfDiscarding { close() }
    }

    /// Counts the peer's bytes from now on, up to the limit for closing connections.
    func startClosing() { isClosing = true }

    private func mayStillSend(_ count: Int) -> Bool {
        closingBytes += count
        return closingBytes <= relay.limits.closingBytes
    }

    /// Counts short TLS records, in every phase of the connection.
    ///
    /// - Returns: false if there are too many. Then the connection ends, and its bytes have to be dropped.
    func mayTake(shortRecords count: Int) -> Bool {
        guard shortRecords.take(count, of: relay.limits.shortRecords, at: .now()) != nil else { return true }
        if isClosing {
            close()
        } else {
            handler?.exceededRecordRate()
        }
        return false
    }

    /// Counts bytes that TLS does not see any more.
    func drop(byteCount: Int) {
        if !mayStillSend(byteCount) { close() }
    }

    /// Drops the peer's bytes from now on. Ours are still sent.
    func discardInput() {
        guard endOfDiscarding == nil else { return }
        endOfDiscarding = .now() + relay.times.close
        startClosing()
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
