internal import HybridProtocol
internal import NIOCore
package import NIOSSL
internal import Synchronization

/// The certificate authorities that a client trusts, and the TLS context that is made of them once it is needed.
final class TrustStore: Sendable {
    /// The time limit of the peer's answer to the end of TLS, after which its connection is cut.
    private static let shutdownTimeout: TimeAmount = .seconds(1)
    private static let applicationProtocol = "http/1.1"

    private let systemRoots: Bool
    private let authorities: [NIOSSLCertificate]
    private let keyLog: (@Sendable ([UInt8]) -> Void)?
    private let made = Mutex<NIOSSLContext?>(nil)

    /// Reads the files and texts, all PEM.
    ///
    /// - Throws: `tlsFailed` if one cannot be read or has no certificate.
    init(
        systemRoots: Bool, authorityFiles: [String], authorityTexts: [[UInt8]],
        keyLog: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws(DataChannelError) {
        self.systemRoots = systemRoots
        self.keyLog = keyLog
        var authorities: [NIOSSLCertificate] = []
        for file in authorityFiles {
            guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else {
                throw DataChannelError(.tlsFailed, reason: "no certificate can be read from the file \(file)")
            }
            authorities += certificates
        }
        for text in authorityTexts {
            guard let certificates = try? NIOSSLCertificate.fromPEMBytes(text), !certificates.isEmpty else {
                throw DataChannelError(.tlsFailed, reason: "a text given for PEM has no certificate")
            }
            authorities += certificates
        }
        self.authorities = authorities
    }

    /// The context for connections to any server: TLS 1.2 or later, certificate and host name verified
    /// (HT-TUN-90 to HT-TUN-93).
    ///
    /// Made once, because that reads the system's certificate authorities.
    ///
    /// - Throws: `tlsFailed` if the TLS library cannot use the certificate authorities.
    func context() throws(DataChannelError) -> NIOSSLContext {
        let context: Result<NIOSSLContext, DataChannelError> = made.withLock { made in
            if let made { return .success(made) }
            do {
                let context = try tlsContext()
                made = context
                return .success(context)
            } catch {
                return .failure(DataChannelError(.tlsFailed, reason: "the certificate authorities cannot be used"))
            }
        }
        return try context.get()
    }

    /// A machine without the system's authorities, such as a container, trusts those alone that are given.
    private func tlsContext() throws -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: tlsConfiguration(systemRoots: systemRoots))
        } catch {
            guard systemRoots, !authorities.isEmpty else { throw error }
            return try NIOSSLContext(configuration: tlsConfiguration(systemRoots: false))
        }
    }

    private func tlsConfiguration(systemRoots: Bool) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.admitOnlyModern()
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = systemRoots ? .default : .certificates(authorities)
        configuration.additionalTrustRoots = systemRoots ? [.certificates(authorities)] : []
        configuration.applicationProtocols = [Self.applicationProtocol]
        configuration.shutdownTimeout = Self.shutdownTimeout
        if let keyLog { configuration.keyLogCallback = { line in keyLog(Array(line.readableBytesView)) } }
        return configuration
    }
}

extension TLSConfiguration {
    /// Admits TLS 1.2 and 1.3, but nothing of TLS 1.2 that RFC 9325 section 4.2 and RFC 9155 section 2 forbid: its
    /// suites encrypt and authenticate in one, with keys that are not those of the certificate, and no signature is by
    /// SHA-1. TLS 1.3 has no others.
    package mutating func admitOnlyModern() {
        minimumTLSVersion = .tlsv12
        maximumTLSVersion = .tlsv13
        cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        verifySignatureAlgorithms = [
            .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
            .rsaPkcs1Sha384, .rsaPssRsaeSha512, .rsaPkcs1Sha512,
        ]
    }
}
