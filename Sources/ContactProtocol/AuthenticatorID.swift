public import Cryptography

/// What the service calls an authenticator: the first 16 bytes of the SHA-256 of its compressed contact public key.
public struct AuthenticatorID: Sendable, Hashable {
    /// How many bytes it has: 16.
    public static let byteCount = 16

    let bytes: [UInt8]

    /// Names the authenticator that owns a key.
    ///
    /// - Throws: `cryptography-failed`.
    public init(_ key: P256.PublicKey) throws(ContactProtocolError) {
        let compressed = key.compressed
        do throws(CryptographyError) {
            bytes = Array(try SHA256.hash(compressed.span).prefix(Self.byteCount))
        } catch {
            throw ContactProtocolError(error)
        }
    }

    init(checked bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }
}
