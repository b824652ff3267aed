internal import COpenSSL

/// EdDSA on Curve25519 (RFC 8032), without prehashing and without context.
public enum Ed25519 {
    /// The length of a private key, the seed: 32 bytes.
    public static let seedByteCount = 32
    /// The length of a public key: 32 bytes.
    public static let publicKeyByteCount = 32
    /// The length of a signature: 64 bytes.
    public static let signatureByteCount = 64

    /// Name in libcrypto.
    private static let name = "ED25519"

    /// A private key. It cannot be copied, and libcrypto wipes it when it dies.
    public struct PrivateKey: ~Copyable, Sendable {
        /// The public half.
        public let publicKey: PublicKey
        private let key: KeyReference

        /// Draws a new key pair.
        ///
        /// - Throws: `libraryFailure`.
        public static func generate() throws(CryptographyError) -> PrivateKey {
            try PrivateKey(key: KeyReference.generate(name))
        }

        /// Imports a private key.
        ///
        /// - Parameter seed: 32 bytes, any.
        /// - Throws: `wrongLength`, `libraryFailure`.
        public init(seed: Span<UInt8>) throws(CryptographyError) {
            guard seed.count == Ed25519.seedByteCount else {
                throw .wrongLength("an Ed25519 seed", expected: Ed25519.seedByteCount, got: seed.count)
            }
            let pointer = seed.withUnsafeBufferPointer {
                EVP_PKEY_new_raw_private_key_ex(nil, Ed25519.name, nil, $0.baseAddress, $0.count)
            }
            guard let pointer else { throw .library("EVP_PKEY_new_raw_private_key_ex") }
            try self.init(key: KeyReference(pointer))
        }

        private init(key: KeyReference) throws(CryptographyError) {
            self.key = key
            publicKey = try PublicKey(key: key)
        }

        /// The private key: 32 bytes.
        ///
        /// - Throws: `libraryFailure`.
        public func seed() throws(CryptographyError) -> SecretBytes {
            try SecretBytes(count: Ed25519.seedByteCount) { (buffer) throws(CryptographyError) in
                var written = buffer.count
                guard EVP_PKEY_get_raw_private_key(key.pointer, buffer.baseAddress, &written) == 1,
                    written == buffer.count
                else { throw .library("EVP_PKEY_get_raw_private_key") }
            }
        }

        /// Signs a message.
        ///
        /// - Returns: 64 bytes.
        /// - Throws: `libraryFailure`.
        public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
            try key.sign(message, digest: nil)
        }
    }

    /// A public key. Whether the bytes are a point shows only when a signature is verified.
    public struct PublicKey: Sendable, Hashable {
        /// The point's encoding, 32 bytes.
        public let bytes: [UInt8]

        /// Takes a public key.
        ///
        /// - Parameter bytes: 32 bytes.
        /// - Throws: `wrongLength`.
        public init(_ bytes: Span<UInt8>) throws(CryptographyError) {
            guard bytes.count == Ed25519.publicKeyByteCount else {
                throw .wrongLength("an Ed25519 public key", expected: Ed25519.publicKeyByteCount, got: bytes.count)
            }
            self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
        }

        init(key: KeyReference) throws(CryptographyError) {
            var byteCount = Ed25519.publicKeyByteCount
            var status: Int32 = 0
            bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
                status = EVP_PKEY_get_raw_public_key(key.pointer, buffer.baseAddress, &byteCount)
                initialized = status == 1 ? byteCount : 0
            }
            guard status == 1 else { throw .library("EVP_PKEY_get_raw_public_key") }
        }

        /// True if a signature is valid.
        ///
        /// - Parameters:
        ///   - signature: 64 bytes. Anything else is simply not a good signature.
        ///   - message: any number of bytes.
        /// - Throws: `libraryFailure`.
        public func verify(signature: Span<UInt8>, of message: Span<UInt8>) throws(CryptographyError) -> Bool {
            guard let pointer = EVP_PKEY_new_raw_public_key_ex(nil, Ed25519.name, nil, bytes, bytes.count) else {
                throw .library("EVP_PKEY_new_raw_public_key_ex")
            }
            return try KeyReference(pointer).verify(signature: signature, of: message, digest: nil)
        }
    }
}
