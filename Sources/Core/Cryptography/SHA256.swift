internal import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The length of a digest: 32 bytes.
    public static let byteCount = 32

    /// The digest of some bytes.
    ///
    /// - Returns: 32 bytes.
    public static func hash(_ bytes: Span<UInt8>) -> [UInt8] { hash(bytes, Span()) }

    /// The digest of two byte strings one after the other.
    ///
    /// - Returns: 32 bytes.
    public static func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> [UInt8] {
        let context = require(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { EVP_MD_CTX_free(context) }
        require(EVP_DigestInit_ex2(context, Algorithms.sha256, nil) == 1, "EVP_DigestInit_ex2")
        let isHashed =
            first.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
            && second.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
        require(isHashed, "EVP_DigestUpdate")
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            require(EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1, "EVP_DigestFinal_ex")
            initialized = byteCount
        }
    }
}
