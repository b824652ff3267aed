import Foundation
import TestPeers

/// A certificate and its key, in PEM files.
struct Identity: Sendable {
    let certificate: String
    let key: String
}

/// An authority and servers' certificates, made with openssl's command line when they are first needed.
struct TestAuthority: Sendable {
    /// The authority's certificate, a PEM file.
    let file: String
    /// For `localhost` and 127.0.0.1.
    let loopback: Identity
    /// For example.org.
    let elsewhere: Identity
    /// For 127.0.0.1 and example.org.
    let address: Identity
    /// For all names one label below example.org.
    let wildcard: Identity

    private static let shared = Task { try await TestAuthority() }

    static func make() async throws -> TestAuthority { try await shared.value }

    private static let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]

    private init() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tunnel-client-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
        try "[req]\ndistinguished_name=name\n[name]\n".write(
            toFile: path("openssl.cnf"), atomically: true, encoding: .utf8)

        func make(_ name: String, _ options: [String]) async throws -> Identity {
            let identity = Identity(certificate: path("\(name).pem"), key: path("\(name).key"))
            let command =
                ["openssl", "req", "-x509", "-config", path("openssl.cnf")] + Self.curve
                + ["-subj", "/CN=\(name)", "-keyout", identity.key, "-out", identity.certificate] + options
            guard try await ChildProcess.run(command).status == 0 else { throw CocoaError(.executableLoad) }
            return identity
        }
        let authority = try await make(
            "authority",
            ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"]
        )
        let signed = [
            "-CA", authority.certificate, "-CAkey", authority.key, "-addext", "basicConstraints=critical,CA:FALSE",
            "-addext", "extendedKeyUsage=serverAuth",
        ]
        file = authority.certificate
        loopback = try await make("loopback", signed + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        elsewhere = try await make("elsewhere", signed + ["-addext", "subjectAltName=DNS:example.org"])
        address = try await make("address", signed + ["-addext", "subjectAltName=DNS:example.org,IP:127.0.0.1"])
        wildcard = try await make("wildcard", signed + ["-addext", "subjectAltName=DNS:*.example.org"])
    }
}
