internal import COpenSSL

/// The owner of one libcrypto key, public or private.
///
/// `@unchecked Sendable`: the key is never changed after it was made, and libcrypto's own reference count and caches
/// are safe to use from several threads.
final class KeyReference: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a key.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// Draws a new key pair of an algorithm of one kind of key.
    ///
    /// - Parameters:
    ///   - algorithm: libcrypto's name for it.
    ///   - configure: sets the parameters; returns true if that succeeded.
    static func generate(
        _ algorithm: String, configure: (OpaquePointer) -> Bool = { _ in true }
    ) throws(CryptographyError) -> KeyReference {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else {
            throw .library("EVP_PKEY_CTX_new_from_name")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, configure(context), EVP_PKEY_generate(context, &pointer) == 1,
            let pointer
        else { throw .library("EVP_PKEY_generate") }
        return KeyReference(pointer)
    }

    /// Signs a message.
    ///
    /// - Parameter digest: the name of the digest that the message is hashed with; nil if the algorithm has its own.
    func sign(_ message: Span<UInt8>, digest: String?) throws(CryptographyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit_ex(context, nil, digest, nil, nil, pointer, nil) == 1 else {
            throw .library("EVP_DigestSignInit_ex")
        }
        let capacity = Int(EVP_PKEY_get_size(pointer))
        var status: Int32 = 0
        let signature = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
            var written = buffer.count
            status = message.withUnsafeBufferPointer {
                EVP_DigestSign(context, buffer.baseAddress, &written, $0.baseAddress, $0.count)
            }
            initialized = status == 1 ? written : 0
        }
        guard status == 1 else { throw .library("EVP_DigestSign") }
        return signature
    }

    /// True if a signature of a message is valid.
    ///
    /// - Parameter digest: as in ``sign(_:digest:)``.
    func verify(
        signature: Span<UInt8>, of message: Span<UInt8>, digest: String?
    ) throws(CryptographyError) -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, pointer, nil) == 1 else {
            throw .library("EVP_DigestVerifyInit_ex")
        }
        let verified = signature.withUnsafeBufferPointer { signature in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerify(context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        ERR_clear_error()
        return verified == 1
    }
}

// Keys on P-256.

extension KeyReference {
    /// A public key from a point in X9.62 form; nil if it is not on the curve.
    convenience init?(publicKey point: Span<UInt8>) {
        guard let domain = Algorithms.p256Domain, let pointer = EVP_PKEY_dup(domain) else { return nil }
        // It owns the pointer now, whatever comes of it.
        self.init(pointer)
        let imported = point.withUnsafeBufferPointer { point in
            EVP_PKEY_set1_encoded_public_key(pointer, point.baseAddress, point.count)
        }
        guard imported == 1 else { return nil }
        // libcrypto would give the point back in the form in which it came.
        if point.count == P256.compressedByteCount {
            let format = OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT
            guard EVP_PKEY_set_utf8_string_param(pointer, format, "uncompressed") == 1 else { return nil }
        }
    }

    /// A new key pair on P-256.
    static func generateP256() throws(CryptographyError) -> KeyReference {
        guard let domain = Algorithms.p256Domain, let context = EVP_PKEY_CTX_new_from_pkey(nil, domain, nil) else {
            throw .library("EVP_PKEY_CTX_new_from_pkey")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &pointer) == 1, let pointer else {
            throw .library("EVP_PKEY_generate")
        }
        return KeyReference(pointer)
    }

    /// A key pair from a private scalar of 32 bytes, big-endian. libcrypto wants the public half along with it.
    static func imported(scalar: Span<UInt8>) throws(CryptographyError) -> KeyReference {
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw .library("EC_GROUP_new_by_curve_name")
        }
        defer { EC_GROUP_free(group) }
        let number = scalar.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress, Int32(clamping: $0.count), nil) }
        guard let number, let point = EC_POINT_new(group) else { throw .library("BN_bin2bn") }
        defer {
            BN_clear_free(number)
            EC_POINT_free(point)
        }
        guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            throw CryptographyError(
                .invalidScalar, reason: "a private scalar is above zero and below the order of P-256")
        }
        var encoded = InlineArray<65, UInt8>(repeating: 0)
        var nativeScalar = InlineArray<32, UInt8>(repeating: 0)
        var encodedSpan = encoded.mutableSpan
        var nativeSpan = nativeScalar.mutableSpan
        let pointer = encodedSpan.withUnsafeMutableBufferPointer { encoded -> OpaquePointer? in
            nativeSpan.withUnsafeMutableBufferPointer { scalar -> OpaquePointer? in
                defer { OPENSSL_cleanse(scalar.baseAddress, scalar.count) }
                guard EC_POINT_mul(group, point, number, nil, nil, nil) == 1,
                    EC_POINT_point2oct(
                        group, point, POINT_CONVERSION_UNCOMPRESSED, encoded.baseAddress, encoded.count, nil)
                        == encoded.count,
                    BN_bn2nativepad(number, scalar.baseAddress, Int32(scalar.count)) == Int32(scalar.count)
                else { return nil }
                return imported([
                    .text(ParameterName.group, AlgorithmName.p256),
                    .octets(ParameterName.publicKey, UnsafeBufferPointer(encoded)),
                    .integer(ParameterName.privateKey, scalar), .end,
                ])
            }
        }
        guard let pointer else { throw .library("EVP_PKEY_fromdata") }
        return KeyReference(pointer)
    }

    private static func imported(_ parameters: consuming [OSSL_PARAM]) -> OpaquePointer? {
        guard let domain = Algorithms.p256Domain, let context = EVP_PKEY_CTX_new_from_pkey(nil, domain, nil) else {
            return nil
        }
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &pointer, KeySelection.keyPair.rawValue, &parameters) == 1
        else { return nil }
        return pointer
    }

    /// The public half: 65 bytes.
    func uncompressedPoint() throws(CryptographyError) -> [UInt8] {
        var status: Int32 = 0
        let point = [UInt8](unsafeUninitializedCapacity: P256.uncompressedByteCount) { buffer, initialized in
            status = EVP_PKEY_get_octet_string_param(
                pointer, OSSL_PKEY_PARAM_PUB_KEY, buffer.baseAddress, buffer.count, &initialized)
        }
        guard status == 1, point.count == P256.uncompressedByteCount, point.first == P256.PointForm.uncompressed else {
            throw .library("EVP_PKEY_get_octet_string_param")
        }
        return point
    }

    /// The private half: 32 bytes, big-endian.
    func scalar() throws(CryptographyError) -> SecretBytes {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1, let number else {
            throw .library("EVP_PKEY_get_bn_param")
        }
        defer { BN_clear_free(number) }
        return try SecretBytes(count: P256.scalarByteCount) { (buffer) throws(CryptographyError) in
            guard BN_bn2binpad(number, buffer.baseAddress, Int32(buffer.count)) == Int32(buffer.count) else {
                throw .library("BN_bn2binpad")
            }
        }
    }
}
