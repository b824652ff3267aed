internal import COpenSSL

/// Algorithms of this module, fetched from libcrypto's providers once for the process.
///
/// Fetching by name walks the providers and takes locks, so it is kept away from every operation.
///
/// `@unchecked Sendable`: a fetched EVP algorithm is immutable and reference-counted, and OpenSSL documents it as
/// safe to share between threads. None is ever freed.
struct Algorithms: @unchecked Sendable {
    let sha256: OpaquePointer
    let hmac: OpaquePointer
    let hkdf: OpaquePointer
    let aes256Block: OpaquePointer
    let aes256GCM: OpaquePointer

    private static let fetched: Self? = {
        guard let sha256 = EVP_MD_fetch(nil, "SHA256", nil),
            let hmac = EVP_MAC_fetch(nil, "HMAC", nil),
            let hkdf = EVP_KDF_fetch(nil, "HKDF", nil),
            let aes256Block = EVP_CIPHER_fetch(nil, "AES-256-ECB", nil),
            let aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
        else { return nil }
        return Self(sha256: sha256, hmac: hmac, hkdf: hkdf, aes256Block: aes256Block, aes256GCM: aes256GCM)
    }()

    /// The process's algorithms.
    ///
    /// - Throws: `libraryFailure` if libcrypto's default provider lacks one of them.
    static func shared() throws(CryptographyError) -> Self {
        guard let fetched else { throw .library("EVP fetch") }
        return fetched
    }

    /// A key without halves: the curve P-256 alone, to start every key from. To look the curve up by its name for each
    /// key would take longer than to draw the key.
    ///
    /// `nonisolated(unsafe)`: the key is never changed or freed, and libcrypto reads it under its own locks.
    nonisolated(unsafe) static let p256Domain: OpaquePointer? = {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        let parameters: InlineArray<2, OSSL_PARAM> = [.text(ParameterName.group, AlgorithmName.p256), .end]
        var domain: OpaquePointer?
        guard EVP_PKEY_paramgen_init(context) == 1,
            parameters.span.withUnsafeBufferPointer({ EVP_PKEY_CTX_set_params(context, $0.baseAddress) }) == 1,
            EVP_PKEY_paramgen(context, &domain) == 1
        else { return nil }
        return domain
    }()
}
