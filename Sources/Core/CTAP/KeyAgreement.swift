package import Cryptography

/// The key pair of either end of PIN/UV auth protocol two, which carries the extension hmac-secret. There is no PIN
/// and no token.
///
/// Source: CTAP 2.2 section 6.5.7.
package final class KeyAgreement: Sendable {
    /// The protocol's number.
    package static let pinUvAuthProtocol: UInt64 = 2

    private let key: P256.PrivateKey

    /// Draws a key.
    package init() throws(CryptographyError) { key = try P256.PrivateKey.generate() }

    /// The public key, as the other end gets it.
    package func publicKey() throws(CTAPError) -> COSEKey {
        let point = key.publicKey.uncompressed
        return try COSEKey(keyAgreement: point.span)
    }

    /// The secrets that are shared with the other end.
    ///
    /// - Parameter point: its public key, 65 bytes.
    /// - Throws: `CryptographyError`; `invalid-point` for a point that is not on the curve.
    package func secrets(with point: [UInt8]) throws(CryptographyError) -> SharedSecrets {
        let peer = try P256.PublicKey(x963: point.span)
        let shared = try key.sharedSecret(with: peer)
        return SharedSecrets(of: shared)
    }
}

/// The two secrets that one client and the authenticator share under PIN/UV auth protocol two.
package final class SharedSecrets: Sendable {
    private static let hmacInfo = Array("CTAP2 HMAC key".utf8)
    private static let aesInfo = Array("CTAP2 AES key".utf8)

    private let hmacKey: SecretBytes
    private let aesKey: SecretBytes

    fileprivate init(of shared: borrowing SecretBytes) {
        let hmacKey = Self.derive(shared, Self.hmacInfo)
        let aesKey = Self.derive(shared, Self.aesInfo)
        self.hmacKey = hmacKey
        self.aesKey = aesKey
    }

    private static func derive(_ shared: borrowing SecretBytes, _ info: [UInt8]) -> SecretBytes {
        let salt = [UInt8](repeating: 0, count: SHA256.byteCount)
        return HKDFSHA256.derive(
            secret: shared.span, salt: salt.span, info: info.span, byteCount: AES256CBC.keyByteCount)
    }

    /// The authentication code of a message: 32 bytes.
    package func authenticationCode(for message: [UInt8]) -> [UInt8] { Self.authenticationCode(for: message, hmacKey) }

    /// True if a client that has the secrets has sent a message.
    ///
    /// - Parameters:
    ///   - code: the authentication code, 32 bytes; any other length is not valid.
    ///   - message: any number of bytes.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        guard code.count == HMACSHA256.byteCount else { return false }
        return Self.isValid(code, for: message, hmacKey)
    }

    // The keys are arguments, since a span of an object's property must not outlive the access to it.

    private static func authenticationCode(for message: [UInt8], _ key: borrowing SecretBytes) -> [UInt8] {
        var function = HMACSHA256(key: key.span)
        return function.authenticationCode(for: message.span)
    }

    private static func isValid(
        _ code: [UInt8], for message: [UInt8], _ key: borrowing SecretBytes
    ) -> Bool {
        var function = HMACSHA256(key: key.span)
        return function.isValid(code.span, for: message.span)
    }

    /// Decrypts a message.
    ///
    /// - Parameter message: the initialization vector, 16 bytes, then whole blocks.
    package func decrypt(_ message: [UInt8]) throws(CryptographyError) -> SecretBytes {
        try Self.decrypt(message, aesKey)
    }

    private static func decrypt(
        _ message: [UInt8], _ key: borrowing SecretBytes
    ) throws(CryptographyError) -> SecretBytes {
        let vector = Array(message.prefix(AES256CBC.vectorByteCount))
        let blocks = Array(message.dropFirst(AES256CBC.vectorByteCount))
        return try AES256CBC.decrypt(blocks.span, key: key.span, vector: vector.span)
    }

    /// Encrypts a message.
    ///
    /// - Parameter message: whole blocks.
    /// - Returns: the initialization vector, 16 bytes, then as many bytes as the message.
    package func encrypt(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] { try Self.encrypt(message, aesKey) }

    private static func encrypt(
        _ message: [UInt8], _ key: borrowing SecretBytes
    ) throws(CryptographyError) -> [UInt8] {
        let vector = randomBytes(count: AES256CBC.vectorByteCount)
        return try vector + AES256CBC.encrypt(message.span, key: key.span, vector: vector.span)
    }
}
