internal import Cryptography
internal import HybridProtocol
internal import Noise

/// What both sides of a session derive, to be compared with a case: the session's own types keep their keys to
/// themselves, so these are worked out beside them.
enum SessionKeys {
    private static let presharedKeyByteCount = Handshake.presharedKeyByteCount

    /// The keys that an opened advert gives.
    static func fields(secret: [UInt8], _ plaintext: AdvertPlaintext) throws -> [String: JSONValue] {
        let eidKey = try KeySchedule.derive(.eidKey, from: secret.span, byteCount: AdvertKey.byteCount)
        return ["eid_key": .hex(eidKey.copiedBytes), "psk": .hex(try presharedKey(secret, plaintext).copiedBytes)]
    }

    /// The authenticator's handshake again.
    static func responder(
        secret: [UInt8],
        _ plaintext: AdvertPlaintext,
        clientKey: P256.PublicKey,
        message: [UInt8],
        ephemeralKey: consuming P256.PrivateKey
    ) throws -> HandshakeResult {
        var handshake = try Handshake(
            .knPSK0, role: .responder, remoteStaticKey: clientKey, presharedKey: try presharedKey(secret, plaintext))
        _ = try handshake.readMessage(message.span)
        _ = try handshake.writeMessage(ephemeralKey: ephemeralKey)
        return try handshake.finish()
    }

    /// The client's handshake again.
    static func initiator(
        secret: [UInt8],
        _ plaintext: AdvertPlaintext,
        staticKey: consuming P256.PrivateKey,
        message: [UInt8],
        ephemeralKey: consuming P256.PrivateKey
    ) throws -> HandshakeResult {
        var handshake = try Handshake(
            .knPSK0, role: .initiator, staticKey: staticKey, presharedKey: try presharedKey(secret, plaintext))
        _ = try handshake.writeMessage(ephemeralKey: ephemeralKey)
        _ = try handshake.readMessage(message.span)
        return try handshake.finish()
    }

    private static func presharedKey(_ secret: [UInt8], _ plaintext: AdvertPlaintext) throws -> SecretBytes {
        try KeySchedule.derive(
            .presharedKey, from: secret.span, salt: plaintext.bytes.span, byteCount: presharedKeyByteCount)
    }
}
