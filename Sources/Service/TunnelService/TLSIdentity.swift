import Glibc
import Logging
import NIOCore
import NIOSSL
import TunnelClient

/// The certificate chain and private key that a ``TunnelService`` shows its peers, both in PEM.
///
/// It has no description of its own contents: the key is a secret.
public struct TLSIdentity: Sendable, CustomStringConvertible {
    private let source: Source

    private enum Source: Sendable {
        case files(certificateChain: String, privateKey: String)
        case bytes(certificateChain: [UInt8], privateKey: [UInt8])
    }

    /// An identity in two PEM files: the chain with the service's own certificate first, and its key. The files are
    /// read when the service starts, and again when it is told to reload.
    public init(certificateChainFile: String, privateKeyFile: String) {
        source = .files(certificateChain: certificateChainFile, privateKey: privateKeyFile)
    }

    /// An identity in memory, in PEM: the chain with the service's own certificate first, and its key.
    public init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8]) {
        source = .bytes(certificateChain: certificateChainPEM, privateKey: privateKeyPEM)
    }

    /// Names the type only.
    public var description: String { "TLSIdentity" }

    private static let applicationProtocol = "http/1.1"
    private static let closeTimeout = TimeAmount.seconds(2)

    /// TLS 1.2 and 1.3 with this identity, without client certificates.
    ///
    /// - Parameter logger: gets a warning if the certificate is not valid at this time.
    /// - Throws: ``TunnelServiceError`` with the code `invalid-certificate`, or `exposed-key` for a key file that every
    ///   user of this machine may read or write.
    func makeContext(_ logger: Logger) throws(TunnelServiceError) -> NIOSSLContext {
        let (chain, key) = try load()
        // The fault may be the clock's, so that it is no reason not to start.
        let now = time(nil)
        if let own = chain.first {
            if own.notValidAfter < now { logger.warning("the certificate has expired") }
            if own.notValidBefore > now { logger.warning("the certificate is not valid yet") }
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.admitOnlyModern()
        configuration.applicationProtocols = [Self.applicationProtocol]
        configuration.shutdownTimeout = Self.closeTimeout
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TunnelServiceError(
                .invalidCertificate, reason: "the certificate and the private key do not belong together")
        }
    }

    private func load() throws(TunnelServiceError) -> ([NIOSSLCertificate], NIOSSLPrivateKey) {
        switch source {
        case .files(let chain, let key):
            // The certificate first: a file that is none may be the key, if the two were given for each other.
            let certificates = try Self.chain { try NIOSSLCertificate.fromPEMFile(chain) }
            try Self.checkPermissions(ofKey: key)
            let file = try Self.key { try NIOSSLPrivateKey(file: key, format: .pem, passphraseCallback: $0) }
            return (certificates, file)
        case .bytes(let chain, let key):
            let certificates = try Self.chain { try NIOSSLCertificate.fromPEMBytes(chain) }
            return (
                certificates, try Self.key { try NIOSSLPrivateKey(bytes: key, format: .pem, passphraseCallback: $0) }
            )
        }
    }

    private static func chain(
        _ load: () throws -> [NIOSSLCertificate]
    ) throws(TunnelServiceError) -> [NIOSSLCertificate] {
        guard let chain = try? load(), !chain.isEmpty else {
            throw TunnelServiceError(.invalidCertificate, reason: "no certificate can be read from the chain")
        }
        return chain
    }

    /// Loads a key. Nobody is asked for the passphrase of one that has it.
    private static func key(
        _ load: (@escaping NIOSSLPassphraseCallback<[UInt8]>) throws -> NIOSSLPrivateKey
    ) throws(TunnelServiceError) -> NIOSSLPrivateKey {
        var isEncrypted = false
        if let key = try? load({ _ in isEncrypted = true }) { return key }
        throw TunnelServiceError(
            .invalidCertificate,
            reason: isEncrypted ? "the private key is encrypted with a passphrase" : "the private key cannot be read")
    }

    /// Its owner's group may read a key: services often have certificates by that.
    private static func checkPermissions(ofKey path: String) throws(TunnelServiceError) {
        var file = stat()
        guard stat(path, &file) == 0, file.st_mode & (S_IROTH | S_IWOTH) != 0 else { return }
        throw TunnelServiceError(.exposedKey, reason: "every user of this machine may read or write the private key")
    }
}
