internal import COpenSSL

/// Elliptic-curve cryptography on P-256, also called secp256r1 and prime256v1 (NIST SP 800-186, X9.62).
public enum P256 {
    /// The length of a private scalar, of a coordinate, and of a shared secret: 32 bytes.
    public static let scalarByteCount = 32
    /// The length of a compressed point: a sign byte, then X: 33 bytes.
    public static let compressedByteCount = 1 + scalarByteCount
    /// The length of an uncompressed point: `04`, then X, then Y: 65 bytes.
    public static let uncompressedByteCount = 1 + 2 * scalarByteCount

    /// Name of the signatures' digest in libcrypto.
    static let signatureDigest = "SHA256"

    /// The first byte of a point's X9.62 form, which says how to read the rest.
    enum PointForm {
        static let compressedEvenY: UInt8 = 2
        static let compressedOddY: UInt8 = 3
        static let uncompressed: UInt8 = 4
    }
}

extension P256.PrivateKey {
    /// Expands a seed into a private key, always the same one.
    ///
    /// HKDF-SHA-256, without a salt, gives 48 bytes, which are reduced modulo the order of the curve. That is the
    /// method of extra random bits (FIPS 186-5 A.2.1): 128 bits more than the order has leave a bias of 2^-128. Under
    /// the info `derive EC key P-256` it is `EC_KEY_derive_from_secret` of BoringSSL.
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

extension P256 {
    /// A point on the curve: a public key, static or ephemeral.
    ///
    /// There is no value of this type that is off the curve or at infinity.
    public struct PublicKey: Sendable, Equatable {
        /// `04`, X, Y: 65 bytes.
        public let uncompressed: [UInt8]
        let key: KeyReference

        /// Reads a point in either X9.62 form and checks that it is on the curve.
        ///
        /// - Parameter x963: 65 bytes beginning with `04`, or 33 bytes beginning with `02` or `03`. Hybrid forms (`06`,
        ///   `07`) and the point at infinity (`00`) are refused.
        /// - Throws: `invalidPoint`; `libraryFailure`.
        public init(x963: Span<UInt8>) throws(CryptographyError) {
            let form = x963.isEmpty ? nil : x963[0]
            switch (x963.count, form) {
            case (P256.uncompressedByteCount, PointForm.uncompressed),
                (P256.compressedByteCount, PointForm.compressedEvenY),
                (P256.compressedByteCount, PointForm.compressedOddY):
                break
            default:
                throw CryptographyError(.invalidPoint, reason: "not the form of a P-256 point")
            }
            guard let key = KeyReference(publicKey: x963) else {
                ERR_clear_error()
                throw CryptographyError(.invalidPoint, reason: "the point is not on P-256")
            }
            self.key = key
            // Coordinates are read below the prime only, so that a point has one uncompressed form: these bytes.
            uncompressed =
                form == PointForm.uncompressed
                ? x963.withUnsafeBufferPointer { Array($0) } : try key.uncompressedPoint()
        }

        init(key: KeyReference) throws(CryptographyError) {
            self.key = key
            uncompressed = try key.uncompressedPoint()
        }

        /// `02` or `03`, then X: 33 bytes.
        public var compressed: [UInt8] {
            let yIsOdd = (uncompressed.last ?? 0) & 1 == 1
            let form = yIsOdd ? PointForm.compressedOddY : PointForm.compressedEvenY
            return [form] + uncompressed[1..<P256.compressedByteCount]
        }

        /// True if a signature is valid: ECDSA with SHA-256 (FIPS 186-5).
        ///
        /// - Parameters:
        ///   - signature: DER, as WebAuthn and CTAP carry it. Anything else is simply not a good signature.
        ///   - message: any number of bytes.
        /// - Throws: `libraryFailure`.
        public func verify(
            signature: Span<UInt8>,
            of message: Span<UInt8>
        ) throws(CryptographyError) -> Bool {
            try key.verify(signature: signature, of: message, digest: P256.signatureDigest)
        }

        /// True if both are the same point.
        public static func == (left: Self, right: Self) -> Bool { left.uncompressed == right.uncompressed }
    }
}

extension P256 {
    /// A private key, static or ephemeral. It cannot be copied, and libcrypto wipes it when it dies.
    public struct PrivateKey: ~Copyable, Sendable {
        /// The public half.
        public let publicKey: PublicKey
        private let key: KeyReference

        /// Draws a new key pair.
        ///
        /// - Throws: `libraryFailure`.
        public static func generate() throws(CryptographyError) -> PrivateKey {
            try PrivateKey(key: KeyReference.generateP256())
        }

        /// Imports a private key.
        ///
        /// - Parameter scalar: 32 bytes, big-endian, above zero and below the order of the curve.
        /// - Throws: `wrongLength`, `invalidScalar`, `libraryFailure`.
        public init(scalar: Span<UInt8>) throws(CryptographyError) {
            guard scalar.count == P256.scalarByteCount else {
                throw .wrongLength("a P-256 scalar", expected: P256.scalarByteCount, got: scalar.count)
            }
            try self.init(key: KeyReference.imported(scalar: scalar))
        }

        private init(key: KeyReference) throws(CryptographyError) {
            self.key = key
            publicKey = try PublicKey(key: key)
        }

        /// A second owner of the same key, said out loud.
        public func clone() -> PrivateKey { PrivateKey(publicKey: publicKey, key: key) }

        private init(publicKey: PublicKey, key: KeyReference) {
            self.publicKey = publicKey
            self.key = key
        }

        /// The private scalar: 32 bytes, big-endian.
        ///
        /// - Throws: `libraryFailure`.
        public func scalar() throws(CryptographyError) -> SecretBytes { try key.scalar() }

        /// The Diffie-Hellman secret with another's public key: the X coordinate, unhashed (SP 800-56A section
        /// 5.7.1.2).
        ///
        /// - Returns: 32 bytes.
        /// - Throws: `libraryFailure`.
        public func sharedSecret(with peer: PublicKey) throws(CryptographyError) -> SecretBytes {
            guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
                throw .library("EVP_PKEY_CTX_new_from_pkey")
            }
            defer { EVP_PKEY_CTX_free(context) }
            // The peer is known to be on the curve, and the curve has cofactor 1: there is nothing left to validate.
            let skipValidation: Int32 = 0
            guard EVP_PKEY_derive_init(context) == 1,
                EVP_PKEY_derive_set_peer_ex(context, peer.key.pointer, skipValidation) == 1
            else { throw .library("EVP_PKEY_derive_set_peer_ex") }
            return try SecretBytes(count: P256.scalarByteCount) { (buffer) throws(CryptographyError) in
                var written = buffer.count
                guard EVP_PKEY_derive(context, buffer.baseAddress, &written) == 1, written == buffer.count else {
                    throw .library("EVP_PKEY_derive")
                }
            }
        }

        /// Signs a message: ECDSA with SHA-256 (FIPS 186-5).
        ///
        /// - Returns: the signature in DER, 8 to 72 bytes, most often 70 to 72.
        /// - Throws: `libraryFailure`.
        public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
            try key.sign(message, digest: P256.signatureDigest)
        }
    }
}
