package import Cryptography
internal import Encodings

/// Takes the traffic keys of each session, for a key log.
package typealias TrafficKeyLog = @Sendable (borrowing TrafficKeys) -> Void

/// The keys of both directions of a session, with the identifier of the session in a capture.
///
/// They open every message after the handshake: the numbers in the nonces begin at 0 in each direction (HT-FRM-12). A
/// line of a key log has them in the manner of SSLKEYLOGFILE, a label, the session's identifier, and the secrets:
///
///     HYBRID_TRAFFIC_KEYS <X of the client's key> <key client to authenticator> <key authenticator to client>
///
/// Three times 32 bytes, each in 64 hexadecimal digits. The first are bytes 1 to 32 of the client's handshake message.
package struct TrafficKeys: ~Copyable, Sendable {
    /// The X coordinate of the ephemeral key in handshake message 1: 32 bytes. Not secret.
    package let session: [UInt8]
    /// The key that the client seals with: 32 bytes.
    package let clientToAuthenticator: SecretBytes
    /// The key that the authenticator seals with: 32 bytes.
    package let authenticatorToClient: SecretBytes

    /// The first word of a line.
    package static let label = "HYBRID_TRAFFIC_KEYS"
    private static let sessionByteCount = 32

    /// Takes the keys of a finished handshake.
    ///
    /// - Parameter message: handshake message 1: 81 bytes.
    init(_ keys: borrowing TransportKeys, message: [UInt8]) {
        session = Self.session(ofMessage: message)
        clientToAuthenticator = keys.initiatorToResponder.clone()
        authenticatorToClient = keys.responderToInitiator.clone()
    }

    /// Reads a line of a key log.
    ///
    /// - Parameter line: without its end.
    /// - Returns: nil for a line with another label, or that is not as it must be.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 4, words[0] == Self.label,
            let session = Hexadecimal.decode(words[1]), session.count == Self.sessionByteCount,
            let client = SecretArray(Hexadecimal.decode(words[2])), client.count == TransportKeys.keyByteCount,
            let authenticator = SecretArray(Hexadecimal.decode(words[3])),
            authenticator.count == TransportKeys.keyByteCount
        else { return nil }
        self.session = session
        clientToAuthenticator = SecretBytes(copying: client.span)
        authenticatorToClient = SecretBytes(copying: authenticator.span)
    }

    /// The line of a key log, with its end.
    package var line: SecretArray {
        let words = [
            Self.label, Hexadecimal.encode(session),
            clientToAuthenticator.span.withUnsafeBufferPointer { Hexadecimal.encode($0) },
            authenticatorToClient.span.withUnsafeBufferPointer { Hexadecimal.encode($0) },
        ]
        return SecretArray(Array((words.joined(separator: " ") + "\n").utf8))
    }

    /// Opens the frames of one end, from the first on.
    ///
    /// - Throws: `cryptographyFailed`.
    package func opener(
        ofClient isClient: Bool, _ construction: TransportConstruction
    ) throws(HybridProtocolError) -> FrameOpener {
        if isClient { return try FrameOpener(key: clientToAuthenticator.span, construction: construction) }
        return try FrameOpener(key: authenticatorToClient.span, construction: construction)
    }

    /// The bytes of handshake message 1 that name its session: 32, or fewer of a message that is too short.
    package static func session(ofMessage message: [UInt8]) -> [UInt8] {
        Array(message.dropFirst().prefix(sessionByteCount))
    }
}
