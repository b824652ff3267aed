public import Cryptography

/// The service's name for an authenticator: the first 16 bytes of the SHA-256 of its compressed contact public key.
public struct AuthenticatorID: Sendable, Hashable {
    /// The length of an authenticator ID: 16 bytes.
    public static let byteCount = 16

    package let bytes: [UInt8]

    /// Names the authenticator that owns a key.
    public init(_ key: P256.PublicKey) {
        let compressed = key.compressed
        bytes = Array(SHA256.hash(compressed.span).prefix(Self.byteCount))
    }

    init(checked bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }
}
