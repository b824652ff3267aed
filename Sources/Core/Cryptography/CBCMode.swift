internal import COpenSSL

/// AES in CBC mode (NIST SP 800-38A). It authenticates nothing.
enum CBCMode {
    /// The length of an initialization vector, and of a block: 16 bytes.
    static let vectorByteCount = 16

    /// Bytes with room behind them.
    struct Output: ~Copyable {
        private let bytes: SecretBytes
        private let count: Int

        fileprivate init(_ bytes: consuming SecretBytes, count: Int) {
            self.bytes = bytes
            self.count = count
        }

        /// The bytes, which are not secret.
        func array() -> [UInt8] {
            let span = bytes.span
            return (0..<count).map { span[$0] }
        }

        /// The bytes.
        func secret() -> SecretBytes { SecretBytes(copying: bytes.span.extracting(first: count)) }
    }

    /// A cipher, and whether its messages are padded (PKCS #7).
    struct Cipher {
        let name: StaticString
        let cipher: OpaquePointer?
        let keyByteCount: Int
        let isPadded: Bool
    }

    /// Encrypts or decrypts a message.
    static func process(
        _ message: Span<UInt8>, _ cipher: Cipher, key: Span<UInt8>, vector: Span<UInt8>, encrypting: Bool
    ) throws(CryptographyError) -> Output {
        guard key.count == cipher.keyByteCount else {
            throw .wrongLength(cipher.name, expected: cipher.keyByteCount, got: key.count)
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
                    context, cipher.cipher, key.baseAddress, vector.baseAddress, encrypting ? 1 : 0, nil)
            }
        }
        guard initialized == 1, EVP_CIPHER_CTX_set_padding(context, cipher.isPadded ? 1 : 0) == 1 else {
            throw .library("EVP_CipherInit_ex2")
        }
        var first: Int32 = 0
        var last: Int32 = 0
        let bytes = try SecretBytes(count: message.count + vectorByteCount) { (buffer) throws(CryptographyError) in
            let updated = message.withUnsafeBufferPointer {
                EVP_CipherUpdate(context, buffer.baseAddress, &first, $0.baseAddress, byteCount)
            }
            guard updated == 1 else { throw .library("EVP_CipherUpdate") }
            guard EVP_CipherFinal_ex(context, buffer.baseAddress.map { $0 + Int(first) }, &last) == 1 else {
                ERR_clear_error()
                throw CryptographyError(.authenticationFailed, reason: "the message is not of whole, padded blocks")
            }
        }
        return Output(bytes, count: Int(first) + Int(last))
    }
}
