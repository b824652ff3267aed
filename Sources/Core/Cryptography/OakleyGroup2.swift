internal import COpenSSL

/// Diffie-Hellman in the Second Oakley Group, 1024 bits: by which the desktop's Secret Service agrees on its session
/// keys.
///
/// 1024 bits are too few for a secret that travels. Here it keeps secrets that stay on the machine out of the logs and
/// the buffers that lie in between. Nothing else should use it.
///
/// Source: RFC 2409 section 6.2; Secret Service API 0.2, "dh-ietf1024-sha256-aes128-cbc-pkcs7".
public struct OakleyGroup2: ~Copyable, Sendable {
    /// The length of a number of the group: 128 bytes.
    public static let byteCount = 128
    private static let exponentByteCount = 128
    private static let generator: UInt = 2

    /// The public value, 128 bytes, big-endian.
    public let publicValue: [UInt8]
    private let exponent: SecretBytes

    /// Draws an exponent.
    ///
    /// - Throws: `libraryFailure`.
    public init() throws(CryptographyError) {
        let exponent = SecretBytes.random(count: Self.exponentByteCount)
        guard let base = BN_new() else { throw .library("BN_new") }
        defer { BN_free(base) }
        guard BN_set_word(base, Self.generator) == 1 else { throw .library("BN_set_word") }
        let power = try Self.power(base, exponent)
        let span = power.span
        publicValue = span.indices.map { span[$0] }
        self.exponent = exponent
    }

    /// The secret in common with a peer.
    ///
    /// - Parameter peer: the peer's public value, at most 128 bytes, big-endian.
    /// - Returns: 128 bytes, big-endian, with leading zeros.
    /// - Throws: `invalidPoint` if the value is not above 1 and below the prime less 1; `libraryFailure`.
    public func sharedSecret(with peer: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        let value = peer.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress, Int32(clamping: $0.count), nil) }
        guard let value else { throw .library("BN_bin2bn") }
        defer { BN_free(value) }
        guard let limit = BN_get_rfc2409_prime_1024(nil) else { throw .library("BN_get_rfc2409_prime_1024") }
        defer { BN_free(limit) }
        guard BN_sub_word(limit, 1) == 1 else { throw .library("BN_sub_word") }
        guard peer.count <= Self.byteCount, BN_is_zero(value) == 0, BN_is_one(value) == 0, BN_cmp(value, limit) < 0
        else { throw CryptographyError(.invalidPoint, reason: "the peer's value is no use for an agreement") }
        return try Self.power(value, exponent)
    }

    /// A power modulo the prime, in a time that does not depend on the exponent.
    private static func power(_ base: OpaquePointer, _ exponent: borrowing SecretBytes) throws(CryptographyError)
        -> SecretBytes
    {
        guard let prime = BN_get_rfc2409_prime_1024(nil) else { throw .library("BN_get_rfc2409_prime_1024") }
        defer { BN_free(prime) }
        let number = exponent.span.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
        guard let number else { throw .library("BN_bin2bn") }
        defer { BN_clear_free(number) }
        guard let result = BN_new() else { throw .library("BN_new") }
        defer { BN_clear_free(result) }
        guard let context = BN_CTX_secure_new() else { throw .library("BN_CTX_secure_new") }
        defer { BN_CTX_free(context) }
        guard BN_mod_exp_mont_consttime(result, base, number, prime, context, nil) == 1 else {
            throw .library("BN_mod_exp_mont_consttime")
        }
        return try SecretBytes(count: byteCount) { (buffer) throws(CryptographyError) in
            guard BN_bn2binpad(result, buffer.baseAddress, Int32(buffer.count)) == buffer.count else {
                throw .library("BN_bn2binpad")
            }
        }
    }
}
