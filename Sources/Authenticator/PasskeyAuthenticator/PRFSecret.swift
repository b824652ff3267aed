public import Cryptography

/// The secret of a credential's pseudo-random function: the extensions prf and hmac-secret.
///
/// A credential has one such function, which is used only where the user was verified, for both extensions alike:
/// WebAuthn Level 3 section 10.1.4 wants that one of the two that hmac-secret has (CTAP 2.2 section 12.7). The other
/// one, of an imported credential, is kept for exports alone (CXF 1.0 section 3.3.12.3). Both are wiped when the last
/// reference goes. They have no description.
public final class PRFSecret: Sendable {
    /// The length of the secret, of a salt and of an output: 32 bytes.
    public static let byteCount = HMACSHA256.byteCount

    private let secret: SecretBytes
    private let other: SecretBytes?

    /// Draws a new secret.
    public init() {
        secret = SecretBytes.random(count: Self.byteCount)
        other = nil
    }

    /// Imports a secret.
    ///
    /// - Parameter bytes: 32 bytes. The caller wipes them.
    /// - Throws: `CryptographyError` `wrong-length`.
    public init(copying bytes: Span<UInt8>) throws(CryptographyError) {
        try Self.check(bytes)
        secret = SecretBytes(copying: bytes)
        other = nil
    }

    /// Imports a credential's two secrets.
    ///
    /// - Parameters:
    ///   - bytes: that for uses after a verification, 32 bytes. The caller wipes them.
    ///   - other: that for uses without one, 32 bytes, which is kept for exports.
    /// - Throws: `CryptographyError` `wrong-length`.
    package init(copying bytes: Span<UInt8>, withoutVerification other: Span<UInt8>) throws(CryptographyError) {
        try Self.check(bytes)
        try Self.check(other)
        secret = SecretBytes(copying: bytes)
        self.other = SecretBytes(copying: other)
    }

    private static func check(_ bytes: Span<UInt8>) throws(CryptographyError) {
        guard bytes.count == byteCount else {
            throw CryptographyError(.wrongLength, reason: "a secret of \(bytes.count) bytes")
        }
    }

    /// The secret, 32 bytes, for a store to keep.
    package func bytes() -> SecretBytes { secret.clone() }

    /// True if the secret for uses without a verification was imported.
    package var hasOther: Bool { other != nil }

    /// The secret for uses without a verification, 32 bytes: the imported one, or one that is derived, always the same:
    /// CXF wants a provider that has one secret to make the other (1.0, section 3.3.12.3).
    package func withoutVerification() -> SecretBytes {
        switch other {
        case .some(let other): other.clone()
        case .none: Self.derive(secret)
        }
    }

    private static func derive(_ secret: borrowing SecretBytes) -> SecretBytes {
        let info = Array("hybrid credWithoutUV".utf8)
        return HKDFSHA256.derive(secret: secret.span, salt: Span(), info: info.span, byteCount: byteCount)
    }

    /// The function's value: HMAC-SHA-256 of the salt.
    ///
    /// - Parameter salt: 32 bytes, which the client has hashed from the page's input (HT-CTAP-29).
    /// - Returns: 32 bytes.
    func evaluate(_ salt: [UInt8]) -> [UInt8] {
        Self.evaluate(secret, salt)
    }

    /// By itself, since a span of an object's memory must not outlive the access to it.
    private static func evaluate(
        _ secret: borrowing SecretBytes, _ salt: [UInt8]
    ) -> [UInt8] {
        var function = HMACSHA256(key: secret.span)
        return function.authenticationCode(for: salt.span)
    }
}
