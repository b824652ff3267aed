import Cryptography
import Foundation
import HybridProtocol
import TestPeers
import Testing

@testable import TunnelService

@Suite("Peers of another make", .serialized)
struct ForeignPeerTests {
    @Test("both ends in Python, plain", .enabled(if: ForeignPeers.hasWebSockets, ForeignPeers.needsWebSockets))
    func pythonPlain() async throws {
        try await withService { service in
            let passed = try await ForeignPeers.webSocketEnds("ws://127.0.0.1:\(service.port)")
            #expect(passed == ForeignPeers.checks)
        }
    }

    @Test(
        "an authenticator and a client of the contact side in Python, after its specification, plain and over TLS",
        .enabled(if: ForeignPeers.hasContactPeer && ForeignPeers.hasOpenSSL, ForeignPeers.needsContactPeer),
        arguments: [false, true]
    )
    func contact(overTLS: Bool) async throws {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        let issuer = try ContactTokenIssuer(secret: secret)
        try await Certificate.with { certificate in
            let security: TunnelService.Security = overTLS ? .tls(certificate.identity) : .plain
            try await withService(
                security: security, hostNames: ["localhost", "127.0.0.1"], contactTokens: issuer
            ) { service in
                let url = overTLS ? "wss://localhost:\(service.port)" : "ws://127.0.0.1:\(service.port)"
                let passed = try await ForeignPeers.contactEnds(
                    url, ca: overTLS ? certificate.certificateFile : nil)
                #expect(passed == ForeignPeers.contactChecks)
            }
        }
    }

    @Test(
        "both ends in Python, over TLS",
        .enabled(if: ForeignPeers.hasWebSockets && ForeignPeers.hasOpenSSL, ForeignPeers.needsWebSockets)
    )
    func pythonTLS() async throws {
        try await Certificate.with { certificate in
            try await withService(security: .tls(certificate.identity)) { service in
                let passed = try await ForeignPeers.webSocketEnds(
                    "wss://localhost:\(service.port)", ca: certificate.certificateFile
                )
                #expect(passed == ForeignPeers.checks)
            }
        }
    }

    @Test(
        "both ends in Python, through HAProxy, which speaks TLS in front, and says whose connection it is, or not",
        .enabled(
            if: ForeignPeers.hasHAProxy && ForeignPeers.hasWebSockets && ForeignPeers.hasOpenSSL,
            ForeignPeers.needsHAProxy
        ),
        arguments: [false, true]
    )
    func haproxy(sendsAddresses: Bool) async throws {
        let proxies = sendsAddresses ? [try #require(AddressRange("127.0.0.0/8"))] : []
        try await Certificate.with { certificate in
            try await withService(security: .plainBehindProxy, trustedProxies: proxies) { service in
                let port = try FreePort.next()
                let configuration = certificate.directory.appending(path: "haproxy.cfg")
                let text = """
                    global
                        maxconn 500
                    defaults
                        mode http
                        timeout connect 10s
                        timeout client 30s
                        timeout server 30s
                        timeout tunnel 1h
                    frontend tls
                        bind 127.0.0.1:\(port) ssl crt \(certificate.bothFile) alpn http/1.1
                        default_backend tunnel
                    backend tunnel
                        server service 127.0.0.1:\(service.port) \(sendsAddresses ? "send-proxy-v2" : "")

                    """
                try text.write(to: configuration, atomically: true, encoding: .utf8)
                try await ChildProcess.with(["haproxy", "-db", "-f", configuration.path()]) { _ in
                    try await untilListening(port)
                    let passed = try await ForeignPeers.webSocketEnds(
                        "wss://localhost:\(port)", ca: certificate.certificateFile
                    )
                    #expect(passed == ForeignPeers.checks)
                }
            }
        }
    }

    @Test(
        "both ends in Python, through HAProxy as the installed file configures it",
        .enabled(
            if: ForeignPeers.hasHAProxy && ForeignPeers.hasWebSockets && ForeignPeers.hasOpenSSL,
            ForeignPeers.needsHAProxy
        )
    )
    func installedHAProxy() async throws {
        let proxies = [try #require(AddressRange("127.0.0.1"))]
        let admin = AdminAddress.tcp(host: "127.0.0.1", port: 0)
        try await Certificate.with { certificate in
            try await withService(security: .plainBehindProxy, trustedProxies: proxies, admin: admin) { service in
                let port = try FreePort.next()
                let configuration = certificate.directory.appending(path: "haproxy.cfg")
                var text = try String(contentsOf: InstalledExamples.file("haproxy.cfg"), encoding: .utf8)
                // Only addresses, the file of the certificate and the most open files are this machine's.
                for (given, own) in [
                    ("bind :::443 v4v6 ", "bind 127.0.0.1:\(port) "),
                    ("crt /etc/haproxy/tunnel.pem", "crt \(certificate.bothFile)"),
                    ("maxconn 20000", "maxconn 200"), ("127.0.0.1:8080 send", "127.0.0.1:\(service.port) send"),
                    ("check port 9464", "check port \(try #require(service.adminPort))"),
                ] {
                    #expect(text.ranges(of: given).count == 1, "\(given)")
                    text.replace(given, with: own)
                }
                try text.write(to: configuration, atomically: true, encoding: .utf8)
                let check = try await ChildProcess.run(["haproxy", "-c", "-f", configuration.path()])
                #expect(check.status == 0 && !check.lines.contains { $0.contains("WARNING") }, "\(check.lines)")
                try await ChildProcess.with(["haproxy", "-db", "-f", configuration.path()]) { _ in
                    try await untilListening(port)
                    let passed = try await ForeignPeers.webSocketEnds(
                        "wss://localhost:\(port)", ca: certificate.certificateFile)
                    #expect(passed == ForeignPeers.checks)
                }
            }
        }
    }

    private func untilListening(_ port: Int) async throws {
        let deadline = ContinuousClock.now + RawPeer.timeout
        while true {
            if let peer = try? await RawPeer.connect(port) { return await peer.close() }
            guard ContinuousClock.now < deadline else { throw RawPeer.TimedOut(awaited: "HAProxy") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
