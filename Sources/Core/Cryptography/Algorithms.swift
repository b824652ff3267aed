internal import COpenSSL

/// Algorithms of this module, fetched from libcrypto's providers once for the process.
///
/// Fetching by name walks the providers and takes locks, so it is kept away from every operation. An algorithm that is
/// nil is not offered on this machine, which ``CryptographySelfTest`` reports.
///
/// `nonisolated(unsafe)`: a fetched EVP algorithm is immutable and reference-counted, and OpenSSL documents it as safe
/// to share between threads. The context is only copied, for which it is read. None is ever freed.
enum Algorithms {
    nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) static let sha512 = EVP_MD_fetch(nil, "SHA512", nil)
    /// A context of HMAC with SHA-256 and the empty key, to be copied.
    nonisolated(unsafe) static let hmacSHA256 = hmacSHA256Context()
    nonisolated(unsafe) static let aes256Block = EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    nonisolated(unsafe) static let aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    private static func hmacSHA256Context() -> OpaquePointer? {
        guard let hmac = EVP_MAC_fetch(nil, "HMAC", nil), let context = EVP_MAC_CTX_new(hmac) else { return nil }
        let parameters: InlineArray<2, OSSL_PARAM> = [.text(ParameterName.digest, AlgorithmName.sha256), .end]
        // Some releases of libcrypto copy no context that has not been initialised.
        let isReady = parameters.span.withUnsafeBufferPointer { parameters in
            withUnsafePointer(to: 0 as UInt8) { EVP_MAC_init(context, $0, 0, parameters.baseAddress) == 1 }
        }
        return isReady ? context : nil
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
