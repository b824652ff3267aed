internal import COpenSSL

/// The key derivation of KeePass before Argon2: a key that is encrypted with AES-256 many times, and hashed.
package enum AESKeyTransformation {
    /// The length of a key and of a seed: 32 bytes.
    package static let keyByteCount = 32

    /// Derives a key.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - seed: 32 bytes, the AES key.
    ///   - rounds: the number of encryptions; a million takes about 50 ms.
    /// - Returns: 32 bytes.
    /// - Throws: `wrongLength`, `libraryFailure`.
    package static func derive(
        _ key: Span<UInt8>, seed: Span<UInt8>, rounds: UInt64
    ) throws(CryptographyError) -> SecretBytes {
        guard key.count == keyByteCount, seed.count == keyByteCount else {
            throw .wrongLength("a key to transform", expected: keyByteCount, got: min(key.count, seed.count))
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        let begun = seed.withUnsafeBufferPointer {
            EVP_EncryptInit_ex2(context, EVP_aes_256_ecb(), $0.baseAddress, nil, nil)
        }
        guard begun == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1 else { throw .library("EVP_EncryptInit_ex2") }
        let transformed = try SecretBytes(count: keyByteCount) { (buffer) throws(CryptographyError) in
            for index in key.indices { buffer[index] = key[index] }
            var written: Int32 = 0
            for _ in 0..<rounds {
                guard
                    EVP_EncryptUpdate(
                        context, buffer.baseAddress, &written, buffer.baseAddress, Int32(buffer.count)) == 1
                else { throw .library("EVP_EncryptUpdate") }
            }
        }
        let hash = SecretArray(SHA256.hash(transformed.span))
        return SecretBytes(copying: hash.span)
    }
}
