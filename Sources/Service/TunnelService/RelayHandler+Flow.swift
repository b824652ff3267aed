import HybridProtocol
import NIOCore
import NIOWebSocket
import TunnelClient

/// Messages and back-pressure between the two ends while the tunnel lives.
extension RelayHandler {
    /// Takes note of the other end, which has come.
    func attached(_ other: TunnelEnd) {
        // Joining implies the acknowledgement, and may overtake it.
        beforeJoining.take()?()
        guard case .waiting = phase else { return deliverDeferredClose(to: other) }
        phase = .joined(other)
        deadline = .now() + relay.times.tunnel
        beginCeremony()
        if signalsJoining {
            send(.binary, ByteBuffer(bytes: TunnelWebSocket.signalMessage))
        }
        let early = early
        self.early = []
        for message in early { passOn(message, to: other) }
        unflushedPeer.take()?.flush()
        readIfAllowed()
    }

    /// Writes a message of the other end to our peer; it goes out when it is flushed.
    func deliver(_ message: ByteBuffer) {
        guard case .joined = phase, let context else { return }
        relay.metrics.relayed(byteCount: message.readableBytes)
        context.write(NIOAny(ByteBuffer(frame: .binary, message)), promise: nil)
        owedAcknowledgements += 1
        isSpokenTo = true
        noteMessage()
    }

    /// Sends the delivered messages.
    func flushDelivered() {
        guard let context else { return }
        context.flush()
        if context.channel.isWritable { acknowledgeDelivered() }
    }

    /// Takes note that the other end has room again: `count` messages passed on are on their way.
    func acknowledged(_ count: Int) {
        unacknowledged -= count
        if unacknowledged == 0 { relay.metrics.taken(in: .now() - passedOnSince) }
        // An acknowledgement within a read needs no more: the end of the reading looks at everything.
        if isReading { return }
        chargeHeldBytes()
        // Silence does not count while the peer was not read from.
        connection.restartSilence()
        readIfAllowed()
    }

    /// Goes on when our peer's connection takes more.
    func roomToWrite() {
        answerPing()
        acknowledgeDelivered()
    }

    private func acknowledgeDelivered() {
        guard case .joined(let peer) = phase, owedAcknowledgements > 0 else { return }
        let count = owedAcknowledgements
        owedAcknowledgements = 0
        peer.acknowledge(count)
    }

    /// True if more may be read now.
    private var mayRead: Bool {
        switch phase {
        case .waiting: early.isEmpty
        case .joined: unacknowledged == 0
        case .closing: true
        case .closed: false
        }
    }

    /// Reads on if nothing stands against it.
    func readIfAllowed() {
        guard let context, !isReading, mayRead else { return }
        isReading = true
        context.read()
    }

    func bytesReceived() {}

    func tick(_ now: NIODeadline) {
        switch phase {
        case .waiting:
            if now >= deadline { return expire(.unjoined) }
            tickOpen(now)
        case .joined:
            if now >= deadline { return expire(.expired) }
            if now >= ceremonyEnd { endCeremony() }
            tickOpen(now)
        case .closing:
            if now >= deadline { connection.close() }
        case .closed:
            break
        }
    }

    /// Takes note that both ends are there.
    func beginCeremony() {
        ceremonyEnd = .now() + relay.times.ceremony
        isActive = true
        connection.standing = .idle
    }

    private func endCeremony() {
        ceremonyEnd = .uptimeNanoseconds(0)
        if connection.standing == .speaking { connection.standing = .idle }
    }

    /// Takes note of a message of either end.
    func noteMessage() {
        isActive = true
        if case .joined = phase, connection.standing == .idle, hasBothSpoken, .now() < ceremonyEnd {
            connection.standing = .speaking
        }
        connection.renewPlace()
    }

    private func tickOpen(_ now: NIODeadline) {
        if isActive { lastMessage = now }
        isActive = false
        if isSlow(now) { return fail(.policyViolation, .limit) }
        if connection.standing != .speaking, now >= lastMessage + relay.times.idle, relay.counter.isUnderPressure {
            relay.metrics.evicted(nil)
            return evict()
        }
        tickAlive(now)
    }

    /// True if a message has been unfinished for longer than it may be: for the time that every one has, and for as
    /// long as the slowest sender takes for its bytes so far. It does not count while nothing is read.
    private func isSlow(_ now: NIODeadline) -> Bool {
        let count = unfinishedByteCount
        guard count > 0, mayRead else {
            unfinished = nil
            return false
        }
        guard let unfinished, unfinished.part == unfinishedPart else {
            unfinished = (unfinishedPart, now)
            return false
        }
        let patience = TimeAmount(TunnelService.Limits.slowestByteTime) * count
        return now >= unfinished.since + relay.times.message + patience
    }

    /// Pings a silent peer, and gives up one that stays silent. One that is not read from cannot be judged.
    private func tickAlive(_ now: NIODeadline) {
        guard mayRead, isSilent(now, pingAfter: relay.times.ping, for: relay.times.silence) else { return }
        lost()
        connection.close()
    }
}
