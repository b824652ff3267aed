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
