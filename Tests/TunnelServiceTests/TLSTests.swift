import Glibc
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

    @Test(
        "1.2 is spoken with authenticated encryption and forward secrecy alone",
        arguments: [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-AES256-GCM-SHA384", true),
            ("ECDHE-ECDSA-CHACHA20-POLY1305", true), ("ECDHE-ECDSA-AES128-SHA", false),
            ("ECDHE-ECDSA-AES256-SHA", false),
        ])
    func suites(suite: String, isSpoken: Bool) async throws {
        try await Certificate.with { certificate in
            try await withService(security: .tls(certificate.identity)) { service in
                let command =
                    "timeout 20 openssl s_client -tls1_2 -cipher '\(suite):@SECLEVEL=0' "
                    + "-CAfile \(certificate.certificateFile) -connect 127.0.0.1:\(service.port) </dev/null 2>&1"
                let ran = try await ChildProcess.run(["sh", "-c", command])
                #expect(ran.lines.contains { $0.contains("Cipher is \(suite)") } == isSpoken, "\(ran.lines)")
            }
        }
    }

    @Test("1.2 has no suite whose key is the certificate's", arguments: ["AES128-GCM-SHA256", "AES128-SHA"])
    func forwardSecrecy(suite: String) async throws {
        try await Certificate.with(key: "rsa:2048") { certificate in
            try await withService(security: .tls(certificate.identity)) { service in
                for (suite, isSpoken) in [(suite, false), ("ECDHE-RSA-AES128-GCM-SHA256", true)] {
                    let command =
                        "timeout 20 openssl s_client -tls1_2 -cipher '\(suite):@SECLEVEL=0' "
                        + "-CAfile \(certificate.certificateFile) -connect 127.0.0.1:\(service.port) </dev/null 2>&1"
                    let ran = try await ChildProcess.run(["sh", "-c", command])
                    #expect(ran.lines.contains { $0.contains("Cipher is \(suite)") } == isSpoken, "\(ran.lines)")
                }
            }
        }
    }

    @Test("has another certificate after a reload, and the tunnels from before go on")
    func reload() async throws {
        try await Certificate.with { old in
            try await Certificate.with { new in
                try await withService(security: .tls(old.identity)) { service in
                    let authenticator = try await RawPeer.connect(service.port, tls: old.clientContext())
                    #expect(try await authenticator.shake(.new()).status == 101)
                    try service.reload(identity: new.identity)
                    #expect(throws: TunnelServiceError(.invalidCertificate, reason: "")) {
                        let wrong = TLSIdentity(certificateChainFile: old.certificateFile, privateKeyFile: new.keyFile)
                        try service.reload(identity: wrong)
                    }
                    let client = try await RawPeer.connect(service.port, tls: new.clientContext())
                    #expect(try await client.shake(.connect()).status == 101)
                    try await client.send(WireFrame(payload: [1]))
                    #expect(try await authenticator.message() == [1])
                    let late = try await RawPeer.connect(service.port, tls: old.clientContext())
                    try? await late.send(Handshake.new().text)
                    #expect(try await late.takeToEnd().isEmpty)
                    for peer in [authenticator, client, late] { await peer.close() }
                }
            }
        }
    }

    @Test("is not spoken with a key that every user of the machine may read")
    func exposedKey() async throws {
        try await Certificate.with { certificate in
            let service = TunnelService(configuration: .init(security: .tls(certificate.identity)))
            for mode in [0o604, 0o602] as [mode_t] {
                #expect(chmod(certificate.keyFile, mode) == 0)
                await #expect(throws: TunnelServiceError(.exposedKey, reason: "")) { try await service.start() }
            }
            #expect(chmod(certificate.keyFile, 0o640) == 0)
            await (try service.start()).shutdown()
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
