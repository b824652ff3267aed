internal import COpenSSL

extension P256.PrivateKey {
    /// Expands a seed into a private key, always the same one.
    ///
    /// HKDF-SHA-256, without a salt, gives 48 bytes, which are reduced modulo the order of the curve. That is the
    /// method of extra random bits (FIPS 186-5 A.2.1): 128 bits more than the order has leave a bias of 2^-128. Under
    /// the info `derive EC key P-256` it is what BoringSSL calls `EC_KEY_derive_from_secret`.
    ///
    /// - Parameters:
    ///   - seed: any number of bytes that are used for nothing else.
    ///   - info: the purpose of the key: any number of bytes.
    /// - Throws: `libraryFailure`; `invalidScalar` for one seed in 2^256, whose key would be zero.
    public init(expanding seed: Span<UInt8>, info: Span<UInt8>) throws(CryptographyError) {
        let wide = HKDFSHA256.derive(secret: seed, salt: Span(), info: info, byteCount: P256.expandedByteCount)
        let scalar = try P256.reducedModuloOrder(wide)
        try self.init(scalar: scalar.span)
    }
}

extension P256 {
    /// Length of the bytes that are reduced to a scalar: 128 bits more than the order has.
    fileprivate static let expandedByteCount = scalarByteCount + 16

    /// A number, big-endian, modulo the order of the curve: 32 bytes, big-endian.
    fileprivate static func reducedModuloOrder(_ number: borrowing SecretBytes) throws(CryptographyError) -> SecretBytes
    {
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw .library("EC_GROUP_new_by_curve_name")
        }
        defer { EC_GROUP_free(group) }
        let dividend = number.span.withUnsafeBufferPointer {
            BN_bin2bn($0.baseAddress, Int32(clamping: $0.count), nil)
        }
        guard let dividend, let context = BN_CTX_secure_new() else { throw .library("BN_bin2bn") }
        defer {
            BN_clear_free(dividend)
            BN_CTX_free(context)
        }
        BN_set_flags(dividend, BN_FLG_CONSTTIME)
        return try SecretBytes(count: scalarByteCount) { (buffer) throws(CryptographyError) in
            guard BN_nnmod(dividend, dividend, EC_GROUP_get0_order(group), context) == 1,
                BN_bn2binpad(dividend, buffer.baseAddress, Int32(buffer.count)) == Int32(buffer.count)
            else { throw .library("BN_nnmod") }
        }
    }
}
