package import Cryptography

/// The product of a finished handshake.
package struct HandshakeResult: ~Copyable, Sendable {
    /// The keys of both directions.
    package let keys: TransportKeys
    /// The final handshake hash: 32 bytes, not secret, different in every session.
    package let handshakeHash: [UInt8]
}

/// The keys of the transport phase, one for each direction.
package struct TransportKeys: ~Copyable, Sendable {
    /// The key that the initiator, the client, seals with: 32 bytes.
    package let initiatorToResponder: SecretBytes
    /// The key that the responder, the authenticator, seals with: 32 bytes.
    package let responderToInitiator: SecretBytes

    /// The length of each key: 32 bytes.
    package static let keyByteCount = AES256GCM.keyByteCount
}
