public import Cryptography

/// The secret of a credential's pseudo-random function: the extensions prf and hmac-secret.
///
/// A credential has one such function, which is used only where the user was verified, for both extensions alike:
/// WebAuthn Level 3 section 10.1.4 wants that one of the two that hmac-secret has (CTAP 2.2 section 12.7). The secret
/// is wiped when the last reference goes. It has no description.
public final class PRFSecret: Sendable {
    /// The length of the secret, of a salt and of an output: 32 bytes.
    public static let byteCount = HMACSHA256.byteCount

    private let secret: SecretBytes

    /// Draws a new secret.
    ///
    /// - Throws: `CryptographyError`.
    public init() throws(CryptographyError) { secret = try SecretBytes.random(count: Self.byteCount) }

    /// Imports a secret.
    ///
    /// - Parameter bytes: 32 bytes. The caller wipes them.
    /// - Throws: `CryptographyError` `wrong-length`.
    public init(copying bytes: Span<UInt8>) throws(CryptographyError) {
        guard bytes.count == Self.byteCount else {
            throw CryptographyError(.wrongLength, reason: "a secret of \(bytes.count) bytes")
        }
        secret = SecretBytes(copying: bytes)
    }

    /// The secret, 32 bytes, for a store to keep.
    package func bytes() -> SecretBytes { secret.clone() }

    /// The function's value: HMAC-SHA-256 of the salt.
    ///
    /// - Parameter salt: 32 bytes, which the client has hashed from the page's input (HT-CTAP-29).
    /// - Returns: 32 bytes.
    /// - Throws: ``CryptographyError``.
    func evaluate(_ salt: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try Self.evaluate(secret, salt)
    }

    /// By itself, since a span of what an object holds must not outlive the access to it.
    private static func evaluate(
        _ secret: borrowing SecretBytes, _ salt: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        var function = try HMACSHA256(key: secret.span)
        return try function.authenticationCode(for: salt.span)
    }
}
