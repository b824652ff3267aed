internal import Conformance
internal import Cryptography
internal import HybridProtocol

/// A whole handshake of both sides, from given keys (the article NoiseHandshake of HybridProtocol).
struct SessionHandshake {
    /// The client's message.
    let message1: [UInt8]
    /// The authenticator's message.
    let message2: [UInt8]
    /// 32 bytes.
    let handshakeHash: [UInt8]
    /// The key of the client's frames.
    let clientKey: [UInt8]
    /// The key of the authenticator's frames.
    let authenticatorKey: [UInt8]

    /// The length of an honest message: a point and a tag.
    static let messageByteCount = P256.uncompressedByteCount + AES256GCM.tagByteCount

    /// Both sides' ephemeral private keys.
    struct EphemeralKeys {
        let client: [UInt8]
        let authenticator: [UInt8]
    }

    /// Plays a handshake.
    ///
    /// - Parameters:
    ///   - pattern: KNpsk0 or NKpsk0.
    ///   - staticKey: the private key of the side that has a static one.
    ///   - payloads: those of the two messages; no peer may send any.
    init(
        _ pattern: HandshakePattern, staticKey scalar: [UInt8], presharedKey: [UInt8], _ ephemeral: EphemeralKeys,
        payloads: (client: [UInt8], authenticator: [UInt8]) = ([], [])
    ) throws {
        var client = try Self.side(role: .initiator, pattern: pattern, scalar: scalar, presharedKey: presharedKey)
        var authenticator = try Self.side(
            role: .responder, pattern: pattern, scalar: scalar, presharedKey: presharedKey)
        let clientKey = try P256.PrivateKey(scalar: ephemeral.client.span)
        let authenticatorKey = try P256.PrivateKey(scalar: ephemeral.authenticator.span)
        let message1 = try client.writeMessage(ephemeralKey: clientKey, payload: payloads.client)
        _ = try authenticator.readMessage(message1.span)
        let message2 = try authenticator.writeMessage(ephemeralKey: authenticatorKey, payload: payloads.authenticator)
        _ = try client.readMessage(message2.span)
        let result = try client.finish()
        self.message1 = message1
        self.message2 = message2
        handshakeHash = result.handshakeHash
        self.clientKey = result.keys.initiatorToResponder.copiedBytes
        self.authenticatorKey = result.keys.responderToInitiator.copiedBytes
    }

    /// The pre-shared key that an advert's plaintext gives (the article KeyDerivation of HybridProtocol).
    static func presharedKey(_ secret: [UInt8], _ plaintext: [UInt8]) -> [UInt8] {
        KeySchedule.derive(
            .presharedKey, from: secret.span, salt: plaintext.span, byteCount: Handshake.presharedKeyByteCount
        ).copiedBytes
    }

    private static func side(
        role: HandshakeRole, pattern: HandshakePattern, scalar: [UInt8], presharedKey: [UInt8]
    ) throws -> Handshake {
        let key = try P256.PrivateKey(scalar: scalar.span)
        let secret = SecretBytes(copying: presharedKey.span)
        // In KNpsk0 the static key is the client's, in NKpsk0 the authenticator's.
        guard (pattern == .knPSK0) == (role == .initiator) else {
            let peer = key.publicKey
            return try Handshake(pattern, role: role, remoteStaticKey: peer, presharedKey: secret)
        }
        return try Handshake(pattern, role: role, staticKey: key, presharedKey: secret)
    }
}
