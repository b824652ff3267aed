internal import COpenSSL

/// AES-256 on single blocks of 16 bytes (FIPS 197): the cipher of adverts (HT-ADV-6).
///
/// `@unchecked Sendable`: the libcrypto context has one owner, and using it takes exclusive access.
public struct AES256Block: ~Copyable, @unchecked Sendable {
    /// The length of a key: 32 bytes.
    public static let keyByteCount = 32
    /// The length of a block: 16 bytes.
    public static let blockByteCount = 16

    /// Direction of a cipher: a scanner only decrypts, an authenticator only encrypts.
    public enum Direction: Sendable {
        /// Plaintext to ciphertext.
        case encrypt
        /// Ciphertext to plaintext.
        case decrypt
    }

    private let context: OpaquePointer

    /// Expands a key for one direction.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - direction: the direction of the block.
    /// - Throws: `wrongLength`, `libraryFailure`.
    public init(key: Span<UInt8>, _ direction: Direction) throws(CryptographyError) {
        guard key.count == Self.keyByteCount else {
            throw .wrongLength("an AES-256 key", expected: Self.keyByteCount, got: key.count)
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        let initialized = key.withUnsafeBufferPointer {
            EVP_CipherInit_ex2(context, Algorithms.aes256Block, $0.baseAddress, nil, direction == .encrypt ? 1 : 0, nil)
        }
        guard initialized == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .library("EVP_CipherInit_ex2")
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Transforms one block.
    ///
    /// - Parameter block: 16 bytes.
    /// - Returns: 16 bytes.
    /// - Throws: `wrongLength`, `libraryFailure`.
    public mutating func transform(_ block: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        guard block.count == Self.blockByteCount else {
            throw .wrongLength("an AES block", expected: Self.blockByteCount, got: block.count)
        }
        var written: Int32 = 0
        var status: Int32 = 0
        let result = [UInt8](unsafeUninitializedCapacity: Self.blockByteCount) { buffer, initialized in
            status = block.withUnsafeBufferPointer {
                EVP_CipherUpdate(context, buffer.baseAddress, &written, $0.baseAddress, Int32($0.count))
            }
            initialized = status == 1 ? Int(written) : 0
        }
        guard status == 1, result.count == Self.blockByteCount else { throw .library("EVP_CipherUpdate") }
        return result
    }
}
