import Foundation
import NIOSSL

/// A certificate for the benchmark, made by the `openssl` command.
struct BenchmarkCertificate: Sendable {
    let certificateFile: String
    let keyFile: String
}

/// The certificate cannot be made.
struct NoCertificate: Error, CustomStringConvertible {
    let description = "the openssl command cannot make a certificate"
}

/// Makes a certificate for the time of `body`.
func withCertificate(_ body: (BenchmarkCertificate) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tunnel-service-bench-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let certificate = BenchmarkCertificate(
        certificateFile: directory.appending(path: "certificate.pem").path(),
        keyFile: directory.appending(path: "key.pem").path()
    )
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/env")
    openssl.arguments = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-keyout", certificate.keyFile, "-out", certificate.certificateFile,
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    guard openssl.terminationStatus == 0 else { throw NoCertificate() }
    try await body(certificate)
}

extension BenchmarkSecurity {
    /// The client's side of the encryption.
    ///
    /// - Parameter curves: the groups for key agreement that it offers; nil for those of NIOSSL.
    func client(_ certificate: BenchmarkCertificate, curves: [NIOTLSCurve]? = nil) throws -> NIOSSLContext? {
        guard self == .tls else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(certificate.certificateFile)
        configuration.certificateVerification = .noHostnameVerification
        configuration.curves = curves
        return try NIOSSLContext(configuration: configuration)
    }
}
