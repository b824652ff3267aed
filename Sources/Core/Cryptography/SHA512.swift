internal import COpenSSL

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    /// The length of a digest: 64 bytes.
    package static let byteCount = 64

    /// The digest of some bytes, which may be secret.
    ///
    /// - Returns: 64 bytes.
    package static func hash(_ bytes: Span<UInt8>) -> SecretBytes {
        SecretBytes(count: byteCount) { buffer in
            let hashed = bytes.withUnsafeBufferPointer {
                EVP_Digest($0.baseAddress, $0.count, buffer.baseAddress, nil, Algorithms.sha512, nil)
            }
            require(hashed == 1, "EVP_Digest")
        }
    }
}
