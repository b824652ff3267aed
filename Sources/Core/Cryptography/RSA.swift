internal import COpenSSL

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2).
public enum RSA {
    /// The size of keys that are drawn here: 2048 bits.
    public static let generatedBitCount = 2048
    /// The sizes of keys that are taken: 2048 to 4096 bits. Below that they are weak, and above slow.
    public static let bitCounts = 2048...4096
    /// The longest public exponent that is taken: 32 bits.
    static let maxExponentBitCount: Int32 = 32

    /// Names of the algorithm and of the signatures' digest in libcrypto.
    static let name = "RSA"
    static let signatureDigest = "SHA256"
}

extension KeyReference {
    /// Refuses a key that is not one of RSA, of a size that is taken.
    func checkRSA() throws(CryptographyError) {
        guard EVP_PKEY_is_a(pointer, RSA.name) == 1, RSA.bitCounts.contains(Int(EVP_PKEY_get_bits(pointer))) else {
            let range = RSA.bitCounts
            throw CryptographyError(
                .invalidKey, reason: "an RSA key has \(range.lowerBound) to \(range.upperBound) bits")
        }
    }

    /// One of an RSA key's public numbers, big-endian, without zeros in front.
    func number(_ name: StaticString) throws(CryptographyError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name.cString, &number) == 1, let number else {
            throw .library("EVP_PKEY_get_bn_param")
        }
        defer { BN_free(number) }
        let byteCount = (Int(BN_num_bits(number)) + UInt8.bitWidth - 1) / UInt8.bitWidth
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            initialized = Int(BN_bn2bin(number, buffer.baseAddress))
        }
    }
}

extension RSA {
    /// A private key. It cannot be copied, and libcrypto wipes it when it dies.
    public struct PrivateKey: ~Copyable, Sendable {
        /// The public half.
        public let publicKey: PublicKey
        private let key: KeyReference

        /// Draws a new key pair of 2048 bits. That takes between some ten milliseconds and a second.
        ///
        /// - Throws: `libraryFailure`.
        public static func generate() throws(CryptographyError) -> PrivateKey {
            try PrivateKey(
                key: KeyReference.generate(name) {
                    EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(generatedBitCount)) == 1
                })
        }

        /// Imports a private key.
        ///
        /// - Parameter pkcs8: a DER PrivateKeyInfo (RFC 5208) with nothing after it. Whether its numbers belong
        ///   together is not checked, which would take as long as drawing a key.
        /// - Throws: `invalidKey`, `libraryFailure`.
        public init(pkcs8: Span<UInt8>) throws(CryptographyError) {
            let pointer = pkcs8.withUnsafeBufferPointer { der -> OpaquePointer? in
                var next = der.baseAddress
                guard let info = d2i_PKCS8_PRIV_KEY_INFO(nil, &next, der.count) else { return nil }
                defer { PKCS8_PRIV_KEY_INFO_free(info) }
                return next == der.baseAddress?.advanced(by: der.count) ? EVP_PKCS82PKEY(info) : nil
            }
            guard let pointer else {
                ERR_clear_error()
                throw CryptographyError(.invalidKey, reason: "not a PKCS #8 private key")
            }
            try self.init(key: KeyReference(pointer))
        }

        private init(key: KeyReference) throws(CryptographyError) {
            self.key = key
            publicKey = try PublicKey(key: key)
        }

        /// The private key as a DER PrivateKeyInfo (RFC 5208): about 1,220 bytes for 2048 bits.
        ///
        /// - Throws: `libraryFailure`.
        public func pkcs8() throws(CryptographyError) -> SecretBytes {
            guard let info = EVP_PKEY2PKCS8(key.pointer) else { throw .library("EVP_PKEY2PKCS8") }
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            let byteCount = Int(i2d_PKCS8_PRIV_KEY_INFO(info, nil))
            guard byteCount > 0 else { throw .library("i2d_PKCS8_PRIV_KEY_INFO") }
            return try SecretBytes(count: byteCount) { (buffer) throws(CryptographyError) in
                var next = buffer.baseAddress
                guard Int(i2d_PKCS8_PRIV_KEY_INFO(info, &next)) == byteCount else {
                    throw .library("i2d_PKCS8_PRIV_KEY_INFO")
                }
            }
        }

        /// Signs a message.
        ///
        /// - Returns: as many bytes as the modulus has.
        /// - Throws: `libraryFailure`.
        public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
            try key.sign(message, digest: RSA.signatureDigest)
        }
    }
}
