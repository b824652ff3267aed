import Foundation
import NIOCore
import NIOSSL
import TestPeers
import Testing

@testable import TunnelService

/// A certificate for localhost that signs itself, made by the `openssl` command for one test.
struct Certificate: Sendable {
    let directory: URL

    var certificateFile: String { directory.appending(path: "certificate.pem").path() }
    var keyFile: String { directory.appending(path: "key.pem").path() }
    /// Both in one file, as HAProxy wants them.
    var bothFile: String { directory.appending(path: "both.pem").path() }

    var identity: TLSIdentity { TLSIdentity(certificateChainFile: certificateFile, privateKeyFile: keyFile) }

    /// Makes one for the time of `body`.
    static func with<Result>(
        key: String = "ec", _ body: (Certificate) async throws -> Result
    ) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tunnel-service-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let certificate = Certificate(directory: directory)
        let curve = key == "ec" ? ["-pkeyopt", "ec_paramgen_curve:prime256v1"] : []
        let made = try await ChildProcess.run(
            ["openssl", "req", "-x509", "-newkey", key] + curve + [
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", certificate.keyFile, "-out", certificate.certificateFile,
            ])
        try #require(made.status == 0)
        let both = try certificate.certificateBytes + certificate.keyBytes
        try Data(both).write(to: URL(filePath: certificate.bothFile))
        return try await body(certificate)
    }

    var certificateBytes: [UInt8] {
        get throws { try [UInt8](Data(contentsOf: URL(filePath: certificateFile))) }
    }

    var keyBytes: [UInt8] {
        get throws { try [UInt8](Data(contentsOf: URL(filePath: keyFile))) }
    }

    /// A client that trusts this certificate.
    func clientContext(_ minimum: TLSVersion = .tlsv12, _ maximum: TLSVersion = .tlsv13) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(certificateFile)
        configuration.certificateVerification = .noHostnameVerification
        configuration.minimumTLSVersion = minimum
        configuration.maximumTLSVersion = maximum
        // A peer that may go on to send after the service has ended does not see that its own end is answered.
        configuration.shutdownTimeout = .milliseconds(50)
        return try NIOSSLContext(configuration: configuration)
    }
}
