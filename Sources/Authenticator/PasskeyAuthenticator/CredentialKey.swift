public import CTAP
public import Cryptography

/// The private key of a passkey, with its algorithm.
///
/// The key lives in libcrypto, which wipes it when the last reference to this object goes. It has no description.
public final class CredentialKey: Sendable {
    /// The algorithms that there are here, the most wanted first.
    public static let algorithms: [COSEAlgorithm] = [.es256, .edDSA, .rs256]

    /// The algorithm.
    public let algorithm: COSEAlgorithm
    /// The public half.
    public let publicKey: COSEKey
    private let key: Key

    private enum Key: ~Copyable, Sendable {
        case es256(P256.PrivateKey)
        case edDSA(Ed25519.PrivateKey)
        case rs256(RSA.PrivateKey)
    }

    /// Draws a new key. One for RS256 takes up to a second.
    ///
    /// - Parameter algorithm: one of ``algorithms``.
    /// - Throws: `CryptographyError`; `unsupported-algorithm` for another algorithm.
    public convenience init(_ algorithm: COSEAlgorithm = .es256) throws(CryptographyError) {
        switch algorithm {
        case .es256: try self.init(P256.PrivateKey.generate())
        case .edDSA: try self.init(Ed25519.PrivateKey.generate())
        case .rs256: try self.init(RSA.PrivateKey.generate())
        default: throw Self.unsupported(algorithm)
        }
    }

    /// Imports a key.
    ///
    /// - Parameters:
    ///   - algorithm: one of ``algorithms``.
    ///   - privateKey: as ``privateKey()`` gives it. The caller wipes it.
    /// - Throws: `CryptographyError` if it is not a private key of the algorithm's.
    public convenience init(
        _ algorithm: COSEAlgorithm, privateKey: Span<UInt8>
    ) throws(CryptographyError) {
        switch algorithm {
        case .es256: try self.init(P256.PrivateKey(scalar: privateKey))
        case .edDSA: try self.init(Ed25519.PrivateKey(seed: privateKey))
        case .rs256: try self.init(RSA.PrivateKey(pkcs8: privateKey))
        default: throw Self.unsupported(algorithm)
        }
    }

    /// Imports a key of any of ``algorithms``.
    ///
    /// - Parameter pkcs8: a DER PrivateKeyInfo (RFC 5208) or OneAsymmetricKey (RFC 5958). The caller wipes it.
    /// - Throws: `CryptographyError`; `unsupported-algorithm` for a whole key of another algorithm or curve.
    public convenience init(pkcs8: Span<UInt8>) throws(CryptographyError) {
        switch try PKCS8.parse(pkcs8) {
        case .p256(let key): try self.init(key)
        case .ed25519(let key): try self.init(key)
        case .rsa(let key): self.init(key)
        }
    }

    private init(_ key: consuming P256.PrivateKey) throws(CryptographyError) {
        let point = key.publicKey.uncompressed
        publicKey = try Self.coseKey { () throws(CTAPError) in try COSEKey(es256: point.span) }
        algorithm = .es256
        self.key = .es256(key)
    }

    private init(_ key: consuming Ed25519.PrivateKey) throws(CryptographyError) {
        let bytes = key.publicKey.bytes
        publicKey = try Self.coseKey { () throws(CTAPError) in try COSEKey(ed25519: bytes) }
        algorithm = .edDSA
        self.key = .edDSA(key)
    }

    private init(_ key: consuming RSA.PrivateKey) {
        publicKey = COSEKey(rs256: key.publicKey.modulus, exponent: key.publicKey.exponent)
        algorithm = .rs256
        self.key = .rs256(key)
    }

    /// The private key for a store to keep: ES256, the scalar, 32 bytes; EdDSA, the seed, 32 bytes; RS256, a DER
    /// PrivateKeyInfo (PKCS #8), about 1,220 bytes.
    ///
    /// - Throws: `CryptographyError`.
    public func privateKey() throws(CryptographyError) -> SecretBytes {
        switch key {
        case .es256(let key): try key.scalar()
        case .edDSA(let key): try key.seed()
        case .rs256(let key): try key.pkcs8()
        }
    }

    /// The private key as a DER PrivateKeyInfo (RFC 5208): ES256 138 bytes, EdDSA 48, RS256 about 1,220.
    ///
    /// - Throws: `CryptographyError`.
    public func pkcs8() throws(CryptographyError) -> SecretBytes {
        switch key {
        case .es256(let key): try key.pkcs8()
        case .edDSA(let key): try key.pkcs8()
        case .rs256(let key): try key.pkcs8()
        }
    }

    /// Signs a message.
    ///
    /// - Returns: the signature as CTAP carries it: ES256 in DER, at most 72 bytes; EdDSA 64 bytes; RS256 256 bytes.
    /// - Throws: ``CryptographyError``.
    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        switch key {
        case .es256(let key): try key.sign(message.span)
        case .edDSA(let key): try key.sign(message.span)
        case .rs256(let key): try key.sign(message.span)
        }
    }

    private static func unsupported(_ algorithm: COSEAlgorithm) -> CryptographyError {
        CryptographyError(.unsupportedAlgorithm, reason: "there are no keys for algorithm \(algorithm.rawValue) here")
    }

    private static func coseKey(
        _ make: () throws(CTAPError) -> COSEKey
    ) throws(CryptographyError) -> COSEKey {
        try CTAPError.rethrown(make(), as: { CryptographyError(.libraryFailure, from: $0) })
    }
}
