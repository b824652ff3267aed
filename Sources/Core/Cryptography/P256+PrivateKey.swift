internal import COpenSSL

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
