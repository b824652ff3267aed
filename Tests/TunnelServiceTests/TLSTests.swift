import NIOSSL
import TestPeers
import Testing

@testable import TunnelService

@Suite("TLS", .enabled(if: ForeignPeers.hasOpenSSL, ForeignPeers.needsOpenSSL))
struct TLSTests {
    @Test("1.2 and 1.3 carry a tunnel", arguments: [TLSVersion.tlsv12, .tlsv13])
    func versions(version: TLSVersion) async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext(version, version)
            try await withService(security: .tls(certificate.identity)) { service in
                let authenticator = try await RawPeer.connect(service.port, tls: context)
                #expect(try await authenticator.shake(.new()).status == 101)
                let client = try await RawPeer.connect(service.port, tls: context)
                #expect(try await client.shake(.connect()).status == 101)
                let message = [UInt8](repeating: 0x42, count: 1 << 20)
                try await client.send(WireFrame(payload: message))
                #expect(try await authenticator.message() == message)
                try await authenticator.send(WireFrame(payload: message))
                #expect(try await client.message() == message)
                try await client.send(.close(4000))
                #expect(try await client.closeCode() == 4000)
                #expect(try await authenticator.closeCode() == 4000)
                await client.close()
                await authenticator.close()
            }
        }
    }

    @Test("1.1 is not spoken")
    func oldVersion() async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext(.tlsv1, .tlsv11)
            try await withService(security: .tls(certificate.identity)) { service in
                let peer = try await RawPeer.connect(service.port, tls: context)
                try? await peer.send(Handshake.new().text)
                #expect(try await peer.takeToEnd().isEmpty)
                await peer.close()
            }
        }
    }

    @Test("is spoken to openssl s_client, whose refusals are read to the end", arguments: ["-tls1_2", "-tls1_3"])
    func opensslClient(version: String) async throws {
        try await Certificate.with { certificate in
            try await withService(security: .tls(certificate.identity)) { service in
                for (handshake, status) in [(Handshake.connect(), "404"), (Handshake.new("12"), "400")] {
                    let request = handshake.text.replacing("\r\n", with: "\\r\\n")
                    let command =
                        "printf '\(request)' | timeout 20 openssl s_client \(version) -ign_eof -verify_return_error "
                        + "-CAfile \(certificate.certificateFile) -connect 127.0.0.1:\(service.port)"
                    let ran = try await ChildProcess.run(["sh", "-c", command + " 2>/dev/null"])
                    #expect(ran.lines.contains { $0.hasPrefix("HTTP/1.1 \(status) ") }, "\(ran.lines)")
                    #expect(ran.lines.contains { $0.contains(version == "-tls1_2" ? "TLSv1.2" : "TLSv1.3") })
                }
            }
        }
    }

    @Test("with an identity in memory is the same")
    func identityInMemory() async throws {
        try await Certificate.with { certificate in
            let identity = TLSIdentity(
                certificateChainPEM: try certificate.certificateBytes, privateKeyPEM: try certificate.keyBytes
            )
            #expect("\(identity)" == "TLSIdentity")
            let context = try certificate.clientContext()
            try await withService(security: .tls(identity)) { service in
                let authenticator = try await RawPeer.connect(service.port, tls: context)
                #expect(try await authenticator.shake(.new()).status == 101)
                await authenticator.close()
            }
        }
    }

    @Test("asks an Origin for wss")
    func origin() async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext()
            try await withService(security: .tls(certificate.identity)) { service in
                for (origin, status) in [("ws://127.0.0.1", 403), ("wss://127.0.0.1", 101)] {
                    let peer = try await RawPeer.connect(service.port, tls: context)
                    #expect(try await peer.shake(.new().with("Origin", origin)).status == status)
                    await peer.close()
                }
            }
        }
    }

    @Test("is not begun by a peer that speaks plainly: it is disconnected")
    func plainPeer() async throws {
        try await Certificate.with { certificate in
            try await withService(security: .tls(certificate.identity)) { service in
                let peer = try await RawPeer.connect(service.port)
                try await peer.send(Handshake.new().text)
                let answer = try await peer.takeToEnd()
                #expect(!String(decoding: answer, as: UTF8.self).contains("HTTP"))
                await peer.close()
            }
        }
    }

    @Test("that is never begun ends when the time of the request is over")
    func silentPeer() async throws {
        var limits = TunnelService.Limits.generous
        limits.requestTime = .milliseconds(200)
        try await Certificate.with { certificate in
            try await withService(security: .tls(certificate.identity), limits: limits) { service in
                let peer = try await RawPeer.connect(service.port)
                try await peer.send([0x16, 0x03, 0x01])
                _ = try await peer.takeToEnd()
                await peer.close()
                try await until { service.connectionCount == 0 }
            }
        }
    }

    @Test("needs a certificate and a key that belong together")
    func badIdentity() async throws {
        try await Certificate.with { one in
            try await Certificate.with { other in
                let wrong = [
                    TLSIdentity(certificateChainFile: "/nowhere.pem", privateKeyFile: one.keyFile),
                    TLSIdentity(certificateChainFile: one.certificateFile, privateKeyFile: other.keyFile),
                    TLSIdentity(certificateChainPEM: [], privateKeyPEM: try one.keyBytes),
                    TLSIdentity(certificateChainPEM: try one.keyBytes, privateKeyPEM: try one.certificateBytes),
                ]
                for identity in wrong {
                    await #expect(throws: TunnelServiceError(.invalidCertificate, reason: "")) {
                        try await TunnelService(configuration: .init(security: .tls(identity))).start()
                    }
                }
            }
        }
    }
}
