internal import Cryptography
internal import Edges
internal import HybridProtocol

/// The authenticator's way from a client's first message to readiness; the same for QR codes and links.
struct AuthenticatorHandshake: Sendable {
    let limits: TimeLimits
    let progress: Progress

    /// Answers the handshake and sends the first message.
    ///
    /// - Parameters:
    ///   - responder: what the client's message is answered with.
    ///   - arrival: the client's message, and the channel on which it came.
    ///   - offer: what the session offers.
    ///   - linking: whether a link is offered; nil in a session that came about by one.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``, ``CryptographyError``.
    func run(
        _ responder: consuming Responder,
        _ arrival: AuthenticatorChannels.Arrival,
        _ offer: SessionOffer,
        _ linking: AuthenticatorLinking?
    ) async throws -> AuthenticatorConnection {
        let channel = arrival.channel
        let ephemeralKey = try P256.PrivateKey.generate()
        let authenticator = try responder.answer(arrival.message.span, ephemeralKey: ephemeralKey)
        let response = authenticator.response
        try await progress.within(limits.handshake) { try await channel.sendMessage(response) }
        progress.reached(.handshaken, next: .ready)
        let session = try authenticator.sendFirstMessage(offer.firstMessage)
        let firstFrame = session.firstFrame
        try await progress.within(limits.handshake) { try await channel.sendMessage(firstFrame) }
        progress.reached(.ready, next: .commandSent)
        return AuthenticatorConnection(session, channel, arrival.assembler, limits, progress, linking)
    }
}
