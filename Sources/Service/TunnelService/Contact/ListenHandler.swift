import HybridProtocol
import NIOCore
import NIOWebSocket
import TunnelClient

/// The handler of an authenticator's connection that registers, and then waits to be woken, for days.
final class ListenHandler: ChannelInboundHandler, WebSocketHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// No registration has come yet.
        case unregistered
        /// The authenticator can be woken here.
        case listening(AuthenticatorID)
        /// Our Close frame is sent or under way; all input is dropped but the peer's Close frame.
        case closing
        /// Nothing more is sent.
        case closed
    }

    /// A registration costs a signature's verification, and counts as much as this many other frames.
    private static let registrationCost = 16

    let relay: Relay
    let connection: ConnectionHandler
    var context: ChannelHandlerContext?
    var unansweredPing: ByteBuffer?
    var deadline: NIODeadline
    var lastPing = NIODeadline.now()

    private let broker: ContactBroker
    private let host: String
    private var challenge: [UInt8] = []
    private var challenged = ContinuousClock.now
    private var phase = Phase.unregistered
    private var joiner = FrameJoiner<ByteBufferView>(
        of: .client, maximumByteCount: AuthenticatorMessage.maximumByteCount)
    private var frames = TokenBucket()
    /// The time by which bytes must come from an authenticator that has been woken.
    private var answerDeadline = NIODeadline.distantFuture

    /// Makes a handler that has not begun.
    ///
    /// - Parameter host: the name under which the service was asked.
    init(relay: Relay, connection: ConnectionHandler, broker: ContactBroker, host: String) {
        self.relay = relay
        self.connection = connection
        self.broker = broker
        self.host = host
        deadline = .now() + relay.times.request
    }

    /// Begins, once HTTP has left the pipeline.
    func begin() {
        let challenge = drawChallenge()
        send(.hello(challenge: challenge))
        context?.read()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        phase = .closed
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        connection.renewPlace()
        switch phase {
        case .unregistered, .listening:
            if mayTake(1) { take(frame) }
        case .closing:
            if frame.opcode == .connectionClose || !mayCount(1) { connection.finish() }
        case .closed:
            break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .closed = phase { return }
        answerPing()
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { answerPing() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let code = CloseCode(framing: error) {
            fail(code)
        } else {
            connection.close()
        }
    }

    func bytesReceived() { answerDeadline = .distantFuture }

    func tick(_ now: NIODeadline) {
        switch phase {
        case .unregistered:
            if now >= deadline { fail(.registrationTimeout) }
        case .listening:
            let isSilent = isSilent(now, pingAfter: relay.times.listenerPing, for: relay.times.listenerSilence)
            if isSilent || now >= answerDeadline { connection.close() }
        case .closing:
            if now >= deadline { connection.close() }
        case .closed:
            break
        }
    }

    func drain() { close(.goingAway) }

    func evict() { close(.goingAway) }

    func goAway() { close(.goingAway) }

    func exceededRecordRate() { fail(.tooManyMessages) }

    /// Announces a client to the authenticator.
    func wake(_ wake: ServiceMessage.Wake) {
        guard case .listening = phase else { return }
        answerDeadline = min(answerDeadline, .now() + relay.times.contactHold)
        send(.wake(wake))
    }

    /// Closes the connection: a newer one has replaced it, or might have, and then it must come again.
    func yield(isReplaced: Bool) { close(isReplaced ? .replaced : .goingAway) }

    private func take(_ frame: WebSocketFrame) {
        do throws(FramingViolation) {
            switch try joiner.join(frame) {
            case .message(let message): take(Array(message))
            case .partial, .pong: break
            case .ping(let payload): unansweredPing = ByteBuffer(payload)
            case .close(let payload): peerCloses(ByteBuffer(payload), try CloseCode.read(payload))
            }
        } catch {
            fail(error.closeCode)
        }
    }

    private func take(_ message: [UInt8]) {
        do throws(TunnelProtocolError) {
            switch (try AuthenticatorMessage(decoding: message), phase) {
            case (.register(let registration), _): try register(registration)
            case (.acknowledge(let tunnelID), .listening(let authenticator)):
                broker.registry.removeCall(of: authenticator, tunnelID: tunnelID)?.client.accept()
            case (.decline(let tunnelID), .listening(let authenticator)): decline(tunnelID, authenticator)
            default: fail(.protocolError)
            }
        } catch {
            fail(CloseCode(error))
        }
    }

    private func register(_ registration: ContactRegistration) throws(TunnelProtocolError) {
        guard mayTake(Self.registrationCost), let context else { return }
        let authenticator = try registration.authenticator(host: host, challenge: challenge)
        // One connection serves one authenticator.
        if case .listening(let known) = phase, known != authenticator { return fail(.wrongProof) }
        var contactIDs: [[UInt8]] = []
        for label in registration.labels {
            contactIDs.append(broker.issuer.contactID(of: ContactToken(authenticator: authenticator, label: label)))
        }
        let challenged = challenged
        let challenge = drawChallenge()
        // Before the answer: a contact ID works as soon as it is known. Wakes come after the answer all the same: they
        // wait for the event loop's next turn.
        if registration.listens {
            phase = .listening(authenticator)
            connection.standing = .listening
            let end = ListenerEnd(self, eventLoop: context.eventLoop)
            broker.registry.register(
                authenticator, labels: registration.labels, at: end, challenged: challenged)
            relay.cluster?.registered(authenticator, at: end)
        } else {
            broker.registry.add(registration.labels, to: authenticator)
            relay.cluster?.add(registration.labels, to: authenticator)
        }
        send(.registered(contactIDs: contactIDs, nextChallenge: challenge))
        relay.registered(listens: registration.listens)
        if !registration.listens { close(.normal) }
    }

    private func decline(_ tunnelID: [UInt8], _ authenticator: AuthenticatorID) {
        if let call = broker.registry.removeCall(of: authenticator, tunnelID: tunnelID) {
            call.client.refuse(.declined)
        } else if let known = try? TunnelID(tunnelID) {
            // No check is needed: a peer that knows the ID could as well join the tunnel and close it.
            if let end = relay.registry.waiting(known) {
                end.end(.normal, .declined)
            } else {
                relay.cluster?.declined(tunnelID)
            }
        }
    }

    /// Counts frames, and ends a connection that sends too many.
    private func mayTake(_ count: Int) -> Bool {
        if mayCount(count) { return true }
        fail(.tooManyMessages)
        return false
    }

    private func mayCount(_ count: Int) -> Bool {
        frames.take(count, of: relay.limits.listenerFrames, at: .now()) == nil
    }

    /// Draws the challenge that the next registration has to sign.
    private func drawChallenge() -> [UInt8] {
        challenge = ContactRegistration.randomChallenge()
        challenged = .now
        return challenge
    }

    private func send(_ message: ServiceMessage) {
        send(.binary, ByteBuffer(bytes: message.encoded()))
    }

    private func peerCloses(_ payload: ByteBuffer, _ code: CloseCode?) {
        leave()
        phase = .closed
        answerClose(payload, code ?? .normal)
    }

    /// Closes the connection of an authenticator that broke a rule or reached a limit, and reads no more of it.
    private func fail(_ code: CloseCode) {
        guard isOpen else { return }
        leave()
        phase = .closed
        connection.discardInput()
        sendLast(code)
    }

    private func close(_ code: CloseCode) {
        guard isOpen else { return }
        leave()
        phase = .closing
        sendClose(code)
    }

    private var isOpen: Bool {
        switch phase {
        case .unregistered, .listening: true
        case .closing, .closed: false
        }
    }

    /// Takes the connection out of the registry: the authenticator can no longer be woken here.
    private func leave() {
        unansweredPing = nil
        connection.standing = .closing
        guard case .listening(let authenticator) = phase, let context else { return }
        let end = ListenerEnd(self, eventLoop: context.eventLoop)
        let waiting = broker.registry.leave(authenticator, end)
        relay.cluster?.left(authenticator, end)
        // It may come to another node.
        for call in waiting { relay.cluster?.wake(call) }
    }
}

extension CloseCode {
    /// The code for a message that was refused.
    fileprivate init(_ error: TunnelProtocolError) {
        switch error.code {
        case .wrongProof: self = .wrongProof
        case .cryptographyFailed: self = .internalError
        default: self = .protocolError
        }
    }
}
