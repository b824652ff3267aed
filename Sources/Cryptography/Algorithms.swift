internal import COpenSSL

/// The algorithms that this room uses, fetched from libcrypto's providers once for the process.
///
/// Fetching by name walks the providers and takes locks, so it is kept away from every operation.
///
/// `@unchecked Sendable`: a fetched EVP algorithm is immutable and reference-counted, and OpenSSL documents it as safe to
/// share between threads. None is ever freed.
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
}
