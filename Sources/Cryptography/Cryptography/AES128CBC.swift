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
        let encrypted = try process(message, key, vector, encrypting: true)
        let span = encrypted.bytes.span
        return (0..<encrypted.count).map { span[$0] }
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
        let decrypted = try process(message, key, vector, encrypting: false)
        return SecretBytes(copying: decrypted.bytes.span.extracting(first: decrypted.count))
    }

    /// Bytes with room behind them.
    private struct Output: ~Copyable {
        let bytes: SecretBytes
        let count: Int
    }

    private static func process(
        _ message: Span<UInt8>, _ key: Span<UInt8>, _ vector: Span<UInt8>, encrypting: Bool
    ) throws(CryptographyError) -> Output {
        guard key.count == keyByteCount else {
            throw .wrongLength("an AES-128 key", expected: keyByteCount, got: key.count)
        }
        guard vector.count == vectorByteCount else {
            throw .wrongLength("an initialization vector", expected: vectorByteCount, got: vector.count)
        }
        guard let byteCount = Int32(exactly: message.count), message.count <= Int(Int32.max) - vectorByteCount else {
            throw .wrongLength("a message", expected: Int(Int32.max), got: message.count)
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        let initialized = key.withUnsafeBufferPointer { key in
            vector.withUnsafeBufferPointer { vector in
                EVP_CipherInit_ex2(
                    context, EVP_aes_128_cbc(), key.baseAddress, vector.baseAddress, encrypting ? 1 : 0, nil)
            }
        }
        guard initialized == 1 else { throw .library("EVP_CipherInit_ex2") }
        var first: Int32 = 0
        var last: Int32 = 0
        let bytes = try SecretBytes(count: message.count + vectorByteCount) { (buffer) throws(CryptographyError) in
            let updated = message.withUnsafeBufferPointer {
                EVP_CipherUpdate(context, buffer.baseAddress, &first, $0.baseAddress, byteCount)
            }
            guard updated == 1 else { throw .library("EVP_CipherUpdate") }
            guard EVP_CipherFinal_ex(context, buffer.baseAddress.map { $0 + Int(first) }, &last) == 1 else {
                ERR_clear_error()
                throw CryptographyError(.authenticationFailed, reason: "there is no padding at the message's end")
            }
        }
        return Output(bytes: bytes, count: Int(first) + Int(last))
    }
}
