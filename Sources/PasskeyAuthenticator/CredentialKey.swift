public import CTAP
public import Cryptography

/// The private key of a passkey, with its algorithm.
///
/// The key lives in libcrypto, which wipes it when the last reference to this object goes. It has no description.
public final class CredentialKey: Sendable {
    /// The algorithms that there are here, the most wanted first.
    public static let algorithms: [COSEAlgorithm] = [.es256]

    /// The algorithm.
    public let algorithm: COSEAlgorithm
    /// The public half.
    public let publicKey: COSEKey
    private let key: P256.PrivateKey

    /// Draws a new key.
    ///
    /// - Parameter algorithm: one of ``algorithms``.
    /// - Throws: ``CryptographyError``; `unsupported-algorithm` for another algorithm.
    public convenience init(_ algorithm: COSEAlgorithm = .es256) throws(CryptographyError) {
        guard algorithm == .es256 else { throw Self.unsupported(algorithm) }
        try self.init(P256.PrivateKey.generate())
    }

    /// Imports a key.
    ///
    /// - Parameters:
    ///   - algorithm: one of ``algorithms``.
    ///   - privateKey: as ``privateKey()`` gives it. The caller wipes it.
    /// - Throws: ``CryptographyError`` if it is no private key of the algorithm's.
    public convenience init(
        _ algorithm: COSEAlgorithm, privateKey: Span<UInt8>
    ) throws(CryptographyError) {
        guard algorithm == .es256 else { throw Self.unsupported(algorithm) }
        try self.init(P256.PrivateKey(scalar: privateKey))
    }

    private init(_ key: consuming P256.PrivateKey) throws(CryptographyError) {
        let point = key.publicKey.uncompressed
        do throws(CTAPError) {
            publicKey = try COSEKey(es256: point.span)
        } catch {
            throw CryptographyError(.invalidPoint, reason: error.reason)
        }
        algorithm = .es256
        self.key = key
    }

    /// The private key for a store to keep: ES256, the scalar, 32 bytes.
    ///
    /// - Throws: ``CryptographyError``.
    public func privateKey() throws(CryptographyError) -> SecretBytes { try key.scalar() }

    /// Signs a message.
    ///
    /// - Returns: the signature as CTAP carries it: ES256 in DER, at most 72 bytes.
    /// - Throws: ``CryptographyError``.
    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] { try key.sign(message.span) }

    private static func unsupported(_ algorithm: COSEAlgorithm) -> CryptographyError {
        CryptographyError(.unsupportedAlgorithm, reason: "there are no keys for algorithm \(algorithm.rawValue) here")
    }
}
