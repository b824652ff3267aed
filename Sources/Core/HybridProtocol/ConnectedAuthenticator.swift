/// An authenticator that has answered the handshake; its first message comes next.
public struct ConnectedAuthenticator: ~Copyable, Sendable {
    /// Handshake message 2, to be sent to the client: 81 bytes.
    public let response: [UInt8]
    var channel: SecureChannel
    private let updates: UpdatePolicy

    init(response: [UInt8], channel: consuming SecureChannel, updates: UpdatePolicy) {
        self.response = response
        self.channel = channel
        self.updates = updates
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public var handshakeHash: [UInt8] { channel.handshakeHash }

    /// Seals the first message; afterwards requests may be read.
    ///
    /// - Parameter firstMessage: our properties and features, of the current revision.
    /// - Throws: `tooLong`, `cryptographyFailed`.
    public consuming func sendFirstMessage(
        _ firstMessage: FirstMessage
    ) throws(HybridProtocolError) -> AuthenticatorSession {
        var channel = channel
        let message = firstMessage.encoded()
        let frame = try channel.sealer.seal(message)
        return AuthenticatorSession(channel, firstFrame: frame, features: firstMessage.features, updates: updates)
    }
}
