internal import COpenSSL

/// The owner of one libcrypto key, public or private.
///
/// `@unchecked Sendable`: the key is never changed after it was made, and libcrypto's own reference count and caches
/// are safe to use from several threads.
final class KeyReference: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a key.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// Draws a new key pair of an algorithm of one kind of key.
    ///
    /// - Parameters:
    ///   - algorithm: libcrypto's name for it.
    ///   - configure: sets what there is to choose; whether that succeeded.
    static func generate(
        _ algorithm: String, configure: (OpaquePointer) -> Bool = { _ in true }
    ) throws(CryptographyError) -> KeyReference {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else {
            throw .library("EVP_PKEY_CTX_new_from_name")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, configure(context), EVP_PKEY_generate(context, &pointer) == 1,
            let pointer
        else { throw .library("EVP_PKEY_generate") }
        return KeyReference(pointer)
    }

    /// Signs a message.
    ///
    /// - Parameter digest: the name of the digest that the message is hashed with; nil if the algorithm has its own.
    func sign(_ message: Span<UInt8>, digest: String?) throws(CryptographyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit_ex(context, nil, digest, nil, nil, pointer, nil) == 1 else {
            throw .library("EVP_DigestSignInit_ex")
        }
        let capacity = Int(EVP_PKEY_get_size(pointer))
        var status: Int32 = 0
        let signature = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
            var written = buffer.count
            status = message.withUnsafeBufferPointer {
                EVP_DigestSign(context, buffer.baseAddress, &written, $0.baseAddress, $0.count)
            }
            initialized = status == 1 ? written : 0
        }
        guard status == 1 else { throw .library("EVP_DigestSign") }
        return signature
    }

    /// True if a signature of a message is valid.
    ///
    /// - Parameter digest: as in ``sign(_:digest:)``.
    func verify(
        signature: Span<UInt8>, of message: Span<UInt8>, digest: String?
    ) throws(CryptographyError) -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, pointer, nil) == 1 else {
            throw .library("EVP_DigestVerifyInit_ex")
        }
        let verified = signature.withUnsafeBufferPointer { signature in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerify(context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        ERR_clear_error()
        return verified == 1
    }
}
