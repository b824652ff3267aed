internal import COpenSSL

/// HKDF with SHA-256 (RFC 5869), extract and expand in one.
public enum HKDFSHA256 {
    /// The most bytes that one derivation gives: 255 blocks of 32 bytes (RFC 5869 section 2.3).
    public static let maximumByteCount = 255 * SHA256.byteCount

    /// Derives key material.
    ///
    /// - Parameters:
    ///   - secret: the input key material, any number of bytes.
    ///   - salt: any number of bytes; empty means 32 zero bytes (RFC 5869 section 2.2).
    ///   - info: any number of bytes.
    ///   - byteCount: the number of bytes to derive: 1 to 8160.
    /// - Throws: `wrongLength` for a `byteCount` out of range; `libraryFailure`.
    public static func derive(
        secret: Span<UInt8>,
        salt: Span<UInt8>,
        info: Span<UInt8>,
        byteCount: Int
    ) throws(CryptographyError) -> SecretBytes {
        guard 1...maximumByteCount ~= byteCount else {
            throw .wrongLength("HKDF output", expected: maximumByteCount, got: byteCount)
        }
        let algorithm = try Algorithms.shared().hkdf
        guard let context = EVP_KDF_CTX_new(algorithm) else { throw .library("EVP_KDF_CTX_new") }
        defer { EVP_KDF_CTX_free(context) }
        return try SecretBytes(count: byteCount) { (output) throws(CryptographyError) in
            let derived = withParameters(secret: secret, salt: salt, info: info) { parameters in
                EVP_KDF_derive(context, output.baseAddress, output.count, parameters)
            }
            guard derived == 1 else { throw .library("EVP_KDF_derive") }
        }
    }

    private static func withParameters(
        secret: Span<UInt8>,
        salt: Span<UInt8>,
        info: Span<UInt8>,
        _ body: (UnsafePointer<OSSL_PARAM>?) -> Int32
    ) -> Int32 {
        secret.withUnsafeBufferPointer { secret in
            salt.withUnsafeBufferPointer { salt in
                info.withUnsafeBufferPointer { info in
                    let parameters: InlineArray<5, OSSL_PARAM> = [
                        .text(ParameterName.digest, AlgorithmName.sha256),
                        .octets(ParameterName.key, secret),
                        .octets(ParameterName.salt, salt),
                        .octets(ParameterName.info, info),
                        .end,
                    ]
                    return parameters.span.withUnsafeBufferPointer { body($0.baseAddress) }
                }
            }
        }
    }
}
