import ContactProtocol
import NIOCore
import NIOWebSocket

/// The second stage of an authenticator's connection: it registers, and then waits to be woken, for days.
final class ListenHandler: ChannelInboundHandler, WebSocketStage {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private enum Phase {
        /// No registration has come yet.
        case unregistered
        /// The authenticator can be woken here.
        case listening(AuthenticatorID)
        /// Our Close frame is sent or under way; what comes in is dropped, but for the peer's Close frame.
        case closing
        /// All is said.
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

    private let desk: ContactDesk
    private let host: String
    private var challenge: [UInt8] = []
    private var phase = Phase.unregistered
    private var joiner = FrameJoiner(maximumMessageBytes: AuthenticatorMessage.maximumByteCount)
    private var frames = TokenBucket()
    /// Until when a sign of life must come from somebody who has been woken.
    private var answerDeadline = NIODeadline.distantFuture

    /// A connection that has not begun.
    ///
    /// - Parameter host: Under what name the service was asked.
    init(relay: Relay, connection: ConnectionHandler, desk: ContactDesk, host: String) {
        self.relay = relay
        self.connection = connection
        self.desk = desk
        self.host = host
        deadline = .now() + relay.times.request
    }

    /// Begins, once HTTP has left the pipeline.
    func begin() {
        guard let challenge = drawChallenge() else { return }
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
        switch phase {
        case .unregistered, .listening:
            if mayTake(1) { take(joiner.join(frame)) }
        case .closing:
            if frame.opcode == .connectionClose { connection.finish() }
        case .closed:
            break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .closed = phase { return }
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { answerWaitingPing() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let code = CloseCode(framing: error) {
            fail(code)
        } else {
            connection.close()
        }
    }

    func heard() { answerDeadline = .distantFuture }

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

    func goAway() { close(.goingAway) }

    /// A client is here.
    func wake(_ wake: ServiceMessage.Wake) {
        guard case .listening = phase else { return }
        answerDeadline = min(answerDeadline, .now() + relay.times.contactHold)
        send(.wake(wake))
    }

    /// Another connection has taken our place.
    func giveWay() { close(.replaced) }

    private func take(_ event: FrameJoiner.Event) {
        switch event {
        case .message(let message): take(message)
        case .partial, .pong: break
        case .ping(let payload): answerPing(payload)
        case .close(let payload): peerCloses(payload)
        case .violation(let code): fail(code)
        }
    }

    private func take(_ message: ByteBuffer) {
        do throws(ContactProtocolError) {
            switch (try AuthenticatorMessage(decoding: Array(message.readableBytesView)), phase) {
            case (.register(let registration), _): try register(registration)
            case (.acknowledge(let tunnelID), .listening(let authenticator)):
                desk.registry.hangUp(authenticator, tunnelID: tunnelID)?.client.accept()
            case (.decline(let tunnelID), .listening(let authenticator)): decline(tunnelID, authenticator)
            default: fail(.protocolError)
            }
        } catch {
            fail(CloseCode(error))
        }
    }

    private func register(_ registration: ContactRegistration) throws(ContactProtocolError) {
        guard mayTake(Self.registrationCost), let context else { return }
        let authenticator = try registration.authenticator(host: host, challenge: challenge)
        // One connection serves one authenticator.
        if case .listening(let known) = phase, known != authenticator { return fail(.wrongProof) }
        var contactIDs: [[UInt8]] = []
        for label in registration.labels {
            contactIDs.append(try desk.issuer.contactID(of: ContactTicket(authenticator: authenticator, label: label)))
        }
        guard let challenge = drawChallenge() else { return }
        send(.registered(contactIDs: contactIDs, nextChallenge: challenge))
        relay.registered(listens: registration.listens)
        guard registration.listens else {
            desk.registry.add(registration.labels, to: authenticator)
            return close(.normal)
        }
        phase = .listening(authenticator)
        let end = ListenerEnd(self, eventLoop: context.eventLoop)
        desk.registry.register(authenticator, labels: registration.labels, at: end)
    }

    private func decline(_ tunnelID: [UInt8], _ authenticator: AuthenticatorID) {
        if let call = desk.registry.hangUp(authenticator, tunnelID: tunnelID) {
            call.client.refuse(.declined)
        } else if let tunnelID = TunnelID(tunnelID) {
            // Whoever knows the ID could as well join the tunnel and close it.
            relay.registry.waiting(tunnelID)?.end(.normal, .declined)
        }
    }

    /// Counts frames, and ends a connection that sends too many.
    private func mayTake(_ count: Int) -> Bool {
        guard frames.take(count, of: relay.limits.listenerFrames, at: .now()) != nil else { return true }
        fail(.tooManyMessages)
        return false
    }

    /// Draws what the next registration has to sign.
    private func drawChallenge() -> [UInt8]? {
        do throws(ContactProtocolError) {
            challenge = try ContactRegistration.randomChallenge()
            return challenge
        } catch {
            fail(.internalError)
            return nil
        }
    }

    private func send(_ message: ServiceMessage) {
        send(WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: message.encoded())))
    }

    private func peerCloses(_ payload: ByteBuffer) {
        switch CloseCode.read(payload) {
        case .violation(let code): fail(code)
        case .code(let code):
            leave()
            phase = .closed
            answerClose(payload, code)
        }
    }

    /// The authenticator broke a rule or reached a limit: what it sends is not worth reading any more.
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

    /// The authenticator can no longer be woken here.
    private func leave() {
        guard case .listening(let authenticator) = phase, let context else { return }
        desk.registry.leave(authenticator, ListenerEnd(self, eventLoop: context.eventLoop))
    }
}

extension CloseCode {
    /// The proof of a registration is wrong.
    static let wrongProof = CloseCode(rawValue: ContactCloseCode.wrongProof)
    /// No registration came in time.
    static let registrationTimeout = CloseCode(rawValue: ContactCloseCode.registrationTimeout)
    /// A newer connection has registered with the same key.
    static let replaced = CloseCode(rawValue: ContactCloseCode.replaced)
    /// More frames than allowed.
    static let tooManyMessages = CloseCode(rawValue: ContactCloseCode.tooManyMessages)

    /// With what to close for a message that was refused.
    fileprivate init(_ error: ContactProtocolError) {
        switch error.code {
        case .wrongProof: self = .wrongProof
        case .cryptographyFailed: self = .internalError
        default: self = .protocolError
        }
    }
}
