public import Cryptography

/// The private key of a passkey: ECDSA on P-256 with SHA-256.
///
/// The key lives in libcrypto, which wipes it when the last reference to this object goes. It has no description.
public final class CredentialKey: Sendable {
    private let key: P256.PrivateKey

    /// Draws a new key.
    ///
    /// - Throws: ``CryptographyError``.
    public init() throws(CryptographyError) { key = try P256.PrivateKey.generate() }

    /// Imports a key.
    ///
    /// - Parameter scalar: 32 bytes, big-endian. The caller wipes them.
    /// - Throws: ``CryptographyError`` if it is no private key on P-256.
    public init(scalar: Span<UInt8>) throws(CryptographyError) { key = try P256.PrivateKey(scalar: scalar) }

    /// The public half.
    public var publicKey: P256.PublicKey { key.publicKey }

    /// The private scalar, 32 bytes, for a store to keep.
    ///
    /// - Throws: ``CryptographyError``.
    public func scalar() throws(CryptographyError) -> SecretBytes { try key.scalar() }

    /// Signs a message.
    ///
    /// - Returns: the signature in DER, at most 72 bytes.
    /// - Throws: ``CryptographyError``.
    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] { try key.sign(message.span) }
}
