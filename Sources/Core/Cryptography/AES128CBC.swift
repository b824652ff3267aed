internal import COpenSSL

/// AES-128-CBC with PKCS #7 padding (NIST SP 800-38A; RFC 5652 section 6.3): in which the desktop's Secret Service
/// wraps secrets on their way. It authenticates nothing.
///
/// Source: Secret Service API 0.2, "dh-ietf1024-sha256-aes128-cbc-pkcs7".
public enum AES128CBC {
    /// The length of a key: 16 bytes.
    public static let keyByteCount = 16
    /// The length of an initialization vector, and of a block: 16 bytes.
    public static let vectorByteCount = 16

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - message: any number of bytes.
    ///   - key: 16 bytes.
    ///   - vector: 16 bytes, random.
    /// - Returns: whole blocks, 1 to 16 bytes more than the message.
    /// - Throws: `wrongLength`, `libraryFailure`.
    public static func encrypt(
        _ message: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        try CBCMode.process(message, cipher, key: key, vector: vector, encrypting: true).array()
    }

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - message: whole blocks.
    ///   - key: 16 bytes.
    ///   - vector: 16 bytes.
    /// - Returns: the message without its padding.
    /// - Throws: `authenticationFailed` if there is no padding at its end; `wrongLength`, `libraryFailure`.
    public static func decrypt(
        _ message: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>
    ) throws(CryptographyError) -> SecretBytes {
        try CBCMode.process(message, cipher, key: key, vector: vector, encrypting: false).secret()
    }

    private static var cipher: CBCMode.Cipher {
        .init(name: "an AES-128 key", cipher: EVP_aes_128_cbc(), keyByteCount: keyByteCount, isPadded: true)
    }
}
