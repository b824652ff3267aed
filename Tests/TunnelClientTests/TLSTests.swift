import Foundation
import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("TLS to a tunnel service", .serialized, .timeLimit(.minutes(5)))
struct TLSTests {
    @Test("needs a certificate that the system or an extra authority vouches for")
    func trust() async throws {
        let authority = try await TestAuthority.make()
        try await ServicePeer.hostile("peer.accept()", identity: authority.loopback) { peer in
            let url = "wss://localhost:\(peer.port)/"
            let error = await failure { _ = try await TunnelClient().open(url) }
            #expect(error?.code == .tlsFailed)
            #expect(error?.reason == "the certificate of localhost is not trusted, or not valid today")
            #expect(error?.tlsFault == .untrusted)
            for systemRoots in [true, false] {
                let client = try TunnelClient(
                    configuration: .with {
                        $0.additionalAuthorities = [authority.file]
                        $0.trustsSystemRoots = systemRoots
                    })
                await (try client.open(url)).channel.close()
            }
        }
    }

    @Test("believes an authority that is given as text")
    func authorityText() async throws {
        let authority = try await TestAuthority.make()
        let text = try Array(String(contentsOfFile: authority.file, encoding: .utf8).utf8)
        try await ServicePeer.hostile("peer.accept()", identity: authority.loopback) { peer in
            let client = try TunnelClient(configuration: .with { $0.additionalAuthorityTexts = [text] })
            await (try client.open("wss://localhost:\(peer.port)/")).channel.close()
        }
        let error = await failure {
            _ = try TunnelClient(configuration: .with { $0.additionalAuthorityTexts = [Array("no PEM".utf8)] })
        }
        #expect(error?.code == .tlsFailed)
    }

    @Test("needs a certificate for the name, or the address, in the URL")
    func name() async throws {
        let authority = try await TestAuthority.make()
        let client = try TunnelClient(configuration: .with { $0.additionalAuthorities = [authority.file] })
        try await ServicePeer.hostile("peer.accept()", identity: authority.loopback) { peer in
            await (try client.open("wss://localhost:\(peer.port)/")).channel.close()
            await (try client.open("wss://127.0.0.1:\(peer.port)/")).channel.close()
        }
        try await ServicePeer.hostile("peer.accept()", identity: authority.elsewhere) { peer in
            for host in ["localhost", "127.0.0.1"] {
                let error = await failure { _ = try await client.open("wss://\(host):\(peer.port)/") }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason == "the certificate is not for \(host)" && error?.tlsFault == .otherName)
            }
        }
    }

    /// A forged answer of DNS leads to somebody else's address, for which they may have a certificate.
    @Test("needs a certificate for the name, and not for the address that the name leads to")
    func addressOfName() async throws {
        let authority = try await TestAuthority.make()
        let client = try TunnelClient(configuration: .with { $0.additionalAuthorities = [authority.file] })
        try await ServicePeer.hostile("peer.accept()", identity: authority.address) { peer in
            await (try client.open("wss://127.0.0.1:\(peer.port)/")).channel.close()
            let error = await failure { _ = try await client.open("wss://localhost:\(peer.port)/") }
            #expect(error?.tlsFault == .otherName, "\(String(describing: error))")
            let page = await failure {
                _ = try await PageFetch(authorityFiles: [authority.file]).get("https://localhost:\(peer.port)/")
            }
            #expect(page?.tlsFault == .otherName, "\(String(describing: page))")
        }
    }

    @Test("takes a certificate with a wildcard for names one label below, and none deeper")
    func wildcard() async throws {
        let authority = try await TestAuthority.make()
        try await ServicePeer.hostile("peer.accept()", identity: authority.wildcard) { service in
            try await ServicePeer.hostile("peer.relay(\(service.port))") { proxy in
                let client = try TunnelClient(
                    configuration: .with {
                        $0.additionalAuthorities = [authority.file]
                        $0.proxies = ProxySettings("127.0.0.1:\(proxy.port)", environment: { _ in nil })
                    })
                await (try client.open("wss://a.example.org/")).channel.close()
                for name in ["example.org", "a.b.example.org", "a.example.com"] {
                    let error = await failure { _ = try await client.open("wss://\(name)/") }
                    #expect(error?.tlsFault == .otherName, "\(name): \(String(describing: error))")
                }
            }
        }
    }

    @Test("carries messages, with `Origin: wss://` and the port, and ends with a clean close")
    func carriesMessages() async throws {
        let authority = try await TestAuthority.make()
        let client = try TunnelClient(configuration: .with { $0.additionalAuthorities = [authority.file] })
        let behaviour = "peer.accept(); peer.frame(BINARY, peer.read_frame()[1])"
        try await ServicePeer.hostile(behaviour, identity: authority.loopback) { peer in
            let channel = try await client.open("wss://localhost:\(peer.port)/").channel
            let message = [UInt8](repeating: 5, count: 100_000)
            try await channel.send(message)
            #expect(try await channel.receive() == message)
            await channel.close()
            let lines = await peer.lines(through: "close")
            #expect(lines.contains("header Origin: wss://localhost:\(peer.port)"))
            #expect(lines.contains("header Host: localhost:\(peer.port)"))
            #expect(lines.last == "close 1000")
        }
    }

    @Test("is asked of a service that does not speak it, and fails by name")
    func notTLS() async throws {
        try await ServicePeer.hostile("pass") { peer in
            let configuration = TunnelClient.Configuration.with { $0.connectTimeout = .seconds(2) }
            let client = try TunnelClient(configuration: configuration)
            // A server that waits for the end of a request's head waits as long as the client does.
            let error = await failure { _ = try await client.open("wss://127.0.0.1:\(peer.port)/") }
            #expect(error?.code == .timeout)
        }
    }

    @Test("is refused when the service offers 1.1 at most")
    func oldVersion() async throws {
        let authority = try await TestAuthority.make()
        let options = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        let port = try await OldTLSServer.run(identity: authority.loopback, options) { port in
            let client = try TunnelClient(configuration: .with { $0.additionalAuthorities = [authority.file] })
            let error = await failure { _ = try await client.open("wss://localhost:\(port)/") }
            #expect(error?.code == .tlsFailed)
            #expect(error?.reason == "no TLS connection to localhost:\(port): tlsv1 alert protocol version")
            return port
        }
        #expect(port != 0)
    }

    @Test(
        "1.2 is spoken with authenticated encryption, forward secrecy and SHA-2 alone",
        arguments: [
            (["-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"], true),
            (["-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305", "-sigalgs", "ECDSA+SHA256"], true),
            (["-cipher", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"], false),
            (["-cipher", "DEFAULT@SECLEVEL=0", "-sigalgs", "ECDSA+SHA1"], false),
        ])
    func suites(options: [String], isSpoken: Bool) async throws {
        let authority = try await TestAuthority.make()
        try await OldTLSServer.run(identity: authority.loopback, ["-tls1_2"] + options) { port in
            let client = try TunnelClient(configuration: .with { $0.additionalAuthorities = [authority.file] })
            let error = await failure { _ = try await client.open("wss://localhost:\(port)/") }
            #expect(error?.code == (isSpoken ? .upgradeRefused : .tlsFailed), "\(error?.reason ?? "")")
        }
    }

    @Test(
        "is not tried with authorities that cannot be read",
        arguments: ["/nonexistent.pem", "/dev/null", "/etc/passwd"])
    func unreadableAuthorities(file: String) async throws {
        let error = await failure { _ = try TunnelClient(configuration: .with { $0.additionalAuthorities = [file] }) }
        #expect(error?.code == .tlsFailed)
        #expect(error?.reason.contains(file) == true)
    }
}
