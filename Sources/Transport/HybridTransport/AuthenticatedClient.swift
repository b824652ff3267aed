internal import Cryptography
internal import HybridProtocol
internal import Synchronization

/// A handshake message, and the channel on which it came. Its sender is not known yet.
struct ClientArrival: Sendable {
    let channel: any DataChannel
    let message: [UInt8]
    /// The bytes that came behind the message.
    let assembler: MessageAssembler

    /// Waits for the message.
    ///
    /// - Throws: ``DataChannelError``, ``HybridProtocolError``.
    init(on channel: any DataChannel) async throws {
        self.channel = channel
        (message, assembler) = try await channel.receiveHandshakeMessage()
    }

    private init(_ channel: any DataChannel, _ message: [UInt8], _ assembler: MessageAssembler) {
        self.channel = channel
        self.message = message
        self.assembler = assembler
    }

    /// The same message, on another channel or with other bytes behind it.
    func replacing(_ channel: any DataChannel, _ assembler: MessageAssembler) -> Self {
        Self(channel, message, assembler)
    }
}

/// A client whose handshake message was valid, and which must be answered.
final class AuthenticatedClient: Sendable {
    let isNearby: Bool
    private let arrival: ClientArrival
    private let authenticator: Mutex<ConnectedAuthenticator?>
    private let context: CeremonyContext

    /// Reads the client's message.
    ///
    /// - Parameters:
    ///   - arrival: the message.
    ///   - isNearby: true if it came over Bluetooth.
    ///   - responder: a prepared one.
    ///   - context: the ceremony's.
    /// - Throws: ``HybridProtocolError``, ``CryptographyError``. The channel is for the caller to close.
    init(
        _ arrival: ClientArrival, isNearby: Bool, _ responder: consuming Responder, _ context: CeremonyContext
    ) throws {
        self.isNearby = isNearby
        self.arrival = arrival
        self.context = context
        authenticator = Mutex(try responder.answer(arrival.message.span, keyLog: context.keyLog))
    }

    /// Answers the handshake and sends the first message, and an update that can only be filler, at once: one packet is
    /// lost less often than two. The same for QR codes and links. Once only. After an error the channel is closed.
    ///
    /// - Parameters:
    ///   - offer: the kinds of requests that are taken.
    ///   - linking: the link that is offered; nil in a session that came about by one, which has no update.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``, ``CryptographyError``.
    func connect(offer: SessionOffer, linking: AuthenticatorLinking?) async throws -> AuthenticatorConnection {
        do {
            let authenticator = try takeAuthenticator()
            let response = authenticator.response
            var session = try authenticator.sendFirstMessage(offer.firstMessage)
            let mayOffer = session.takesLinkOffer && linking?.moment != .never
            var messages = [response, session.firstFrame]
            // A filler hides from the tunnel service whether a link was offered. On L2CAP there is nobody to hide it
            // from, and some clients cut messages at a chance terminator in it (HT-LNK-42).
            let isHidden = !isNearby || session.takesLinkOffer
            if linking != nil && !mayOffer && isHidden { messages.append(try session.sealUpdate()) }
            let arrival = try await arrival.withClientsTerminators(context)
            try await send(messages, on: arrival.channel)
            context.reached(.handshaken, next: .ready)
            context.reached(.ready, next: .commandSent)
            offer.observeHandshakeHash(session.handshakeHash)
            return AuthenticatorConnection(
                session, arrival: arrival, linking: mayOffer ? linking : nil, context: context)
        } catch {
            await close()
            throw error
        }
    }

    /// Answers the handshake, and begins an application's messages. Once only. After an error the channel is closed.
    ///
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``.
    func openChannel<Codec>(
        _ messages: (_ handshakeHash: [UInt8]) -> Codec
    ) async throws -> MessageChannel<Codec> {
        do {
            let authenticator = try takeAuthenticator()
            let arrival = try await arrival.withClientsTerminators(context)
            try await send([authenticator.response], on: arrival.channel)
            context.reached(.handshaken, next: .ready)
            let session = authenticator.exchange(messages)
            return MessageChannel(session, on: arrival.channel, assembler: arrival.assembler, context: context)
        } catch {
            await close()
            throw error
        }
    }

    private func takeAuthenticator() throws(HybridProtocolError) -> ConnectedAuthenticator {
        guard let authenticator = authenticator.withLock({ $0.take() }) else {
            throw HybridProtocolError(.sessionEnded, reason: "the handshake was answered before")
        }
        return authenticator
    }

    /// Closes the channel.
    func close() async { await arrival.channel.close() }

    private func send(_ messages: [[UInt8]], on channel: any DataChannel) async throws {
        try await context.within(context.limits.handshake, on: channel) { try await channel.sendMessages(messages) }
    }
}
