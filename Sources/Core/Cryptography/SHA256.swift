internal import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The length of a digest: 32 bytes.
    public static let byteCount = 32

    /// The digest of some bytes.
    ///
    /// - Returns: 32 bytes.
    /// - Throws: `libraryFailure`.
    public static func hash(_ bytes: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try hash(bytes, Span())
    }

    /// The digest of two byte strings one after the other.
    ///
    /// - Returns: 32 bytes.
    /// - Throws: `libraryFailure`.
    public static func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        let algorithm = try Algorithms.shared().sha256
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestInit_ex2(context, algorithm, nil) == 1,
            first.withUnsafeBytes({ EVP_DigestUpdate(context, $0.baseAddress, $0.count) }) == 1,
            second.withUnsafeBytes({ EVP_DigestUpdate(context, $0.baseAddress, $0.count) }) == 1
        else { throw .library("EVP_DigestUpdate") }
        var finished: Int32 = 0
        let digest = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            finished = EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            initialized = finished == 1 ? byteCount : 0
        }
        guard finished == 1 else { throw .library("EVP_DigestFinal_ex") }
        return digest
    }
}
