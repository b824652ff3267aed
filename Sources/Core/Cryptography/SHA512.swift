internal import COpenSSL

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    /// The length of a digest: 64 bytes.
    package static let byteCount = 64

    /// The digest of some bytes, which may be secret.
    ///
    /// - Returns: 64 bytes.
    /// - Throws: `libraryFailure`.
    package static func hash(_ bytes: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        try SecretBytes(count: byteCount) { (buffer) throws(CryptographyError) in
            let hashed = bytes.withUnsafeBufferPointer {
                EVP_Digest($0.baseAddress, $0.count, buffer.baseAddress, nil, EVP_sha512(), nil)
            }
            guard hashed == 1 else { throw .library("EVP_Digest") }
        }
    }
}
