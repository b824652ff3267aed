internal import Cryptography

/// The encrypted channel that a handshake leaves: a sealer and an opener, each with its key and counter
/// (HT-FRM-12).
///
/// It cannot be copied, since a copy would use a counter twice.
public struct SecureChannel: ~Copyable, Sendable {
    var sealer: FrameSealer
    var opener: FrameOpener
    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public let handshakeHash: [UInt8]

    /// The longest message that is sealed or opened: 1 MiB (HT-FRM-22, HT-FRM-23).
    public static let maximumMessageByteCount = 1 << 20

    /// Takes the two keys by the role in which they are used (HT-HS-27).
    init(
        _ result: borrowing HandshakeResult,
        role: HandshakeRole,
        construction: TransportConstruction = .current
    ) throws(HybridProtocolError) {
        let initiators = result.keys.initiatorToResponder.span
        let responders = result.keys.responderToInitiator.span
        let isInitiator = role == .initiator
        let sealer = try FrameSealer(key: isInitiator ? initiators : responders, construction: construction)
        let opener = try FrameOpener(key: isInitiator ? responders : initiators, construction: construction)
        self.sealer = sealer
        self.opener = opener
        handshakeHash = result.handshakeHash
    }
}

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

/// A client that has finished the handshake and waits for the authenticator's first message (HT-MSG-1).
public struct ConnectedClient: ~Copyable, Sendable {
    let handshake: HandshakeResult
    private let linkVerifier: LinkVerifier?

    init(_ handshake: consuming HandshakeResult, _ linkVerifier: consuming LinkVerifier?) {
        self.handshake = handshake
        self.linkVerifier = linkVerifier
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public var handshakeHash: [UInt8] { handshake.handshakeHash }

    /// True if bytes are the whole first message, for a channel that does not keep messages whole; see
    /// ``MessageAssembler``.
    ///
    /// - Parameter bytes: any number.
    /// - Throws: as ``FrameOpener/openIfFrame(_:)``.
    public func opens(_ bytes: [UInt8]) throws(HybridProtocolError) -> Bool {
        for construction in [TransportConstruction.current, .old] {
            var channel = try SecureChannel(handshake, role: .initiator, construction: construction)
            if SecretArray(try channel.opener.openIfFrame(bytes)) != nil { return true }
        }
        return false
    }

    /// Reads the first message; afterwards requests may be sent.
    ///
    /// The first frame shows which construction the authenticator seals with, and we seal likewise from then on
    /// (HT-FRM-24, HT-FRM-25).
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: the errors of ``FrameOpener/open(_:)`` and ``FirstMessage/init(decoding:)``; `badTag` if the frame
    ///   opens under neither construction.
    public consuming func readFirstMessage(_ frame: [UInt8]) throws(HybridProtocolError) -> ClientSession {
        let opened = try openFirst(frame)
        return ClientSession(
            opened.channel, firstMessage: opened.message.message, linking: opened.message.linking,
            linkVerifier: linkVerifier)
    }

    private struct OpenedFirst: ~Copyable {
        let channel: SecureChannel
        let message: ReceivedFirstMessage
    }

    private func openFirst(_ frame: [UInt8]) throws(HybridProtocolError) -> OpenedFirst {
        do {
            return try openFirst(frame, .current)
        } catch {
            guard error.code == .badTag else { throw error }
        }
        return try openFirst(frame, .old)
    }

    private func openFirst(
        _ frame: [UInt8],
        _ construction: TransportConstruction
    ) throws(HybridProtocolError) -> OpenedFirst {
        var channel = try SecureChannel(handshake, role: .initiator, construction: construction)
        let plaintext = SecretArray(try channel.opener.open(frame))
        return OpenedFirst(channel: channel, message: try ReceivedFirstMessage(decoding: plaintext.span))
    }
}
