import NIOCore
import NIOWebSocket

/// Messages and room: what an end and its other end say to each other while the tunnel lives.
extension RelayHandler {
    /// The client has come.
    func attached(_ client: TunnelEnd) {
        guard case .waiting = phase else { return client.end(.goingAway, .lost) }
        phase = .joined(client)
        deadline = .now() + relay.times.tunnel
        for message in early { passOn(message, to: client) }
        early = []
        readIfAllowed()
    }

    /// Sends a message of the other end to our peer.
    func deliver(_ message: ByteBuffer) {
        guard case .joined(let peer) = phase, let context else { return }
        relay.metrics.relayed(byteCount: message.readableBytes)
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .binary, data: message)), promise: nil)
        if context.channel.isWritable {
            peer.acknowledge(1)
        } else {
            owedAcknowledgements += 1
        }
    }

    /// The other end has room again for what was passed on.
    func acknowledged(_ count: Int) {
        unacknowledged -= count
        chargeHeldBytes()
        // A peer that was not read from was not silent.
        connection.noteSignOfLife()
        readIfAllowed()
    }

    /// Our peer's connection takes more.
    func roomToWrite() {
        if let payload = unansweredPing.take() { answerPing(payload) }
        guard case .joined(let peer) = phase, owedAcknowledgements > 0 else { return }
        peer.acknowledge(owedAcknowledgements)
        owedAcknowledgements = 0
    }

    /// Answers a ping. Without room only the latest one waits for its answer, as RFC 6455 section 5.5.3 allows: pings
    /// from a peer that does not read do not pile up.
    func answerPing(_ payload: ByteBuffer) {
        guard let context else { return }
        guard context.channel.isWritable else { return unansweredPing = payload }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: payload)), promise: nil)
    }

    /// Whether more may be read now.
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

    func heard() {}

    func tick(_ now: NIODeadline) {
        switch phase {
        case .waiting:
            if now >= deadline { return expire(.unjoined) }
            tickAlive(now)
        case .joined:
            if now >= deadline { return expire(.expired) }
            tickAlive(now)
        case .closing:
            if now >= deadline { connection.close() }
        case .closed:
            break
        }
    }

    /// Pings a silent peer, and gives up one that stays silent. One that is not read from cannot be heard.
    private func tickAlive(_ now: NIODeadline) {
        guard mayRead, let context else { return }
        if now >= connection.lastHeard + relay.times.silence {
            lost()
            return connection.close()
        }
        if now >= max(connection.lastHeard, lastPing) + relay.times.ping, context.channel.isWritable {
            lastPing = now
            let ping = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())
            context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
        }
    }
}
