internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// Keys that both sides of a session derive, to be compared with a case: the session's own types keep their keys to
/// themselves, so these are worked out beside them.
enum SessionKeys {
    private static let presharedKeyByteCount = Handshake.presharedKeyByteCount

    /// The keys that an opened advert gives.
    ///
    /// - Parameter salt: the client's nonce, where the secret is that of a link.
    static func fields(secret: [UInt8], salt: [UInt8] = [], _ plaintext: [UInt8]) -> CaseFields {
        let eidKey = KeySchedule.derive(
            .eidKey, from: secret.span, salt: salt.span, byteCount: AdvertKey.byteCount)
        return ["eid_key": .hex(eidKey.copiedBytes), "psk": .hex(presharedKey(secret, plaintext).copiedBytes)]
    }

    /// The outcome of a session, in the order of the project's files.
    static func ordered(_ fields: CaseFields) -> CaseFields {
        fields.ifThere([
            "tunnel_id", "payload", "link_secret", "identity_private", "eid_key", "plaintext", "advert", "psk",
            "message_1", "message_2", "results", "handshake_hash", "client_to_authenticator_key",
            "authenticator_to_client_key", "linking", "link",
        ])
    }

    /// The authenticator's handshake again.
    static func responder(_ handshake: consuming Handshake, _ input: CaseFields) throws -> HandshakeResult {
        let message = try input.bytes("message_1")
        _ = try handshake.readMessage(message.span)
        _ = try handshake.writeMessage(ephemeralKey: try VectorOperation.key(input, "ephemeral_private"))
        return try handshake.finish()
    }

    /// The client's handshake again.
    static func initiator(_ handshake: consuming Handshake, _ input: CaseFields) throws -> HandshakeResult {
        let message = try input.bytes("message_2")
        _ = try handshake.writeMessage(ephemeralKey: try VectorOperation.key(input, "ephemeral_private"))
        _ = try handshake.readMessage(message.span)
        return try handshake.finish()
    }

    /// The pre-shared key of a session's handshake.
    static func presharedKey(_ secret: [UInt8], _ plaintext: [UInt8]) -> SecretBytes {
        KeySchedule.derive(
            .presharedKey, from: secret.span, salt: plaintext.span, byteCount: presharedKeyByteCount)
    }
}
