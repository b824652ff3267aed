internal import COpenSSL

/// ChaCha20 (RFC 8439 section 2.4) from block 0 on, for a stream of bytes. It authenticates nothing.
///
/// `@unchecked Sendable`: the libcrypto context has one owner, and using it takes exclusive access.
package struct ChaCha20: ~Copyable, @unchecked Sendable {
    /// The length of a key: 32 bytes.
    package static let keyByteCount = 32
    /// The length of a nonce: 12 bytes.
    package static let nonceByteCount = 12

    private let context: OpaquePointer

    /// Begins a stream.
    ///
    /// - Throws: `wrongLength`, `libraryFailure`.
    package init(key: Span<UInt8>, nonce: Span<UInt8>) throws(CryptographyError) {
        guard key.count == Self.keyByteCount else {
            throw .wrongLength("a ChaCha20 key", expected: Self.keyByteCount, got: key.count)
        }
        guard nonce.count == Self.nonceByteCount else {
            throw .wrongLength("a ChaCha20 nonce", expected: Self.nonceByteCount, got: nonce.count)
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        // libcrypto takes the number of the first block before the nonce.
        let vector = [0, 0, 0, 0] + nonce.withUnsafeBufferPointer { Array($0) }
        let begun = key.withUnsafeBufferPointer {
            EVP_EncryptInit_ex2(context, EVP_chacha20(), $0.baseAddress, vector, nil)
        }
        guard begun == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .library("EVP_EncryptInit_ex2")
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Encrypts or decrypts the next bytes of the stream, in place.
    ///
    /// - Throws: `libraryFailure`.
    package mutating func apply(to bytes: inout [UInt8]) throws(CryptographyError) {
        guard !bytes.isEmpty else { return }
        var written: Int32 = 0
        let applied = bytes.withUnsafeMutableBufferPointer {
            EVP_EncryptUpdate(context, $0.baseAddress, &written, $0.baseAddress, Int32(clamping: $0.count))
        }
        guard applied == 1, Int(written) == bytes.count else { throw .library("EVP_EncryptUpdate") }
    }
}
