internal import COpenSSL

/// AES-256-CBC without padding (NIST SP 800-38A): the encryption of CTAP's PIN/UV auth protocol two. It authenticates
/// nothing.
///
/// Source: CTAP 2.2 section 6.5.7.
public enum AES256CBC {
    /// The length of a key: 32 bytes.
    public static let keyByteCount = 32
    /// The length of an initialization vector, and of a block: 16 bytes.
    public static let vectorByteCount = 16

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - message: whole blocks.
    ///   - key: 32 bytes.
    ///   - vector: 16 bytes, random.
    /// - Returns: as many bytes as the message.
    /// - Throws: `authenticationFailed` if the message is not of whole blocks; `wrongLength`, `libraryFailure`.
    public static func encrypt(
        _ message: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        try CBCMode.process(message, cipher, key: key, vector: vector, encrypting: true).array()
    }

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - message: whole blocks.
    ///   - key: 32 bytes.
    ///   - vector: 16 bytes.
    /// - Returns: as many bytes as the message.
    /// - Throws: `authenticationFailed` if the message is not of whole blocks; `wrongLength`, `libraryFailure`.
    public static func decrypt(
        _ message: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>
    ) throws(CryptographyError) -> SecretBytes {
        try CBCMode.process(message, cipher, key: key, vector: vector, encrypting: false).secret()
    }

    /// Encrypts a message of any length, padded (PKCS #7).
    ///
    /// - Throws: `wrongLength`, `libraryFailure`.
    package static func encryptPadded(
        _ message: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        try CBCMode.process(message, paddedCipher, key: key, vector: vector, encrypting: true).array()
    }

    /// Decrypts a message that was padded (PKCS #7).
    ///
    /// - Throws: `authenticationFailed` for padding that is none; `wrongLength`, `libraryFailure`.
    package static func decryptPadded(
        _ message: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        try CBCMode.process(message, paddedCipher, key: key, vector: vector, encrypting: false).array()
    }

    private static var paddedCipher: CBCMode.Cipher {
        .init(name: "an AES-256 key", cipher: EVP_aes_256_cbc(), keyByteCount: keyByteCount, isPadded: true)
    }

    private static var cipher: CBCMode.Cipher {
        .init(name: "an AES-256 key", cipher: EVP_aes_256_cbc(), keyByteCount: keyByteCount, isPadded: false)
    }
}
