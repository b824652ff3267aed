import HybridProtocol
import HybridTransport
import NIOHTTP1
import Testing

@testable import TunnelClient

@Suite("A proxy", .serialized, .timeLimit(.minutes(5)))
struct ProxyTests {
    /// For a server that nobody resolves here: only the proxy may.
    private static let url = "wss://example.org:8443/cable/new/00112233445566778899aabbccddeeff"

    private static let ownPage = "did not answer like a proxy|sent unexpected data"
    private static let tooMuch = "did not answer like a proxy|sent too much"

    private static func client(
        through port: Int, name: String = "", authority: TestAuthority? = nil, limit: Duration = .seconds(15)
    ) throws -> TunnelClient {
        try TunnelClient(
            configuration: .with {
                $0.proxies = ProxySettings("http://\(name)127.0.0.1:\(port)", environment: { _ in nil })
                $0.additionalAuthorities = [authority?.file].compactMap(\.self)
                $0.connectTimeout = limit
            })
    }

    @Test("is asked for the server by its name and port, with the password, and carries TLS to it")
    func tunnel() async throws {
        let authority = try await TestAuthority.make()
        let hello = "peer.accept(); peer.frame(2, b'hello')"
        try await ServicePeer.hostile(hello, identity: authority.elsewhere) { service in
            try await ServicePeer.hostile("peer.relay(\(service.port))") { proxy in
                let client = try Self.client(through: proxy.port, name: "ann:secret@", authority: authority)
                let tunnel = try await client.open(Self.url)
                #expect(try await tunnel.channel.receive() == Array("hello".utf8))
                await tunnel.channel.close()
                let asked = await proxy.lines(through: "end")
                #expect(asked.contains("request CONNECT example.org:8443 HTTP/1.1"))
                #expect(asked.contains("header Host: example.org:8443"))
                #expect(asked.contains("header Proxy-Authorization: Basic YW5uOnNlY3JldA=="))
                // The proxy's password is not for the server.
                #expect(await !service.lines(through: "close").contains { $0.contains("Proxy") })
            }
        }
    }

    /// The certificate is for 127.0.0.1, which is the address of the proxy.
    @Test("leaves the certificate to be judged by the server's name, not by the proxy's address")
    func certificate() async throws {
        let authority = try await TestAuthority.make()
        try await ServicePeer.hostile("peer.accept()", identity: authority.loopback) { service in
            try await ServicePeer.hostile("peer.relay(\(service.port))") { proxy in
                let client = try Self.client(through: proxy.port, authority: authority)
                let error = await failure { _ = try await client.open(Self.url) }
                #expect(error?.code == .tlsFailed && error?.tlsFault == .otherName, "\(String(describing: error))")
            }
        }
    }

    @Test(
        "that does not connect, or is none, is named with what it did",
        arguments: [
            ("peer.answer('407 Proxy Authentication Required')", "asks for a name and a password (407)", 407),
            (
                "peer.answer('407 No', 'Proxy-Authenticate: Negotiate', 'Proxy-Authenticate: NTLM TlRMTVNTUAA=')",
                "demands an authentication scheme that is not supported: Negotiate, NTLM (407)", 407
            ),
            ("peer.answer('407 No', 'Proxy-Authenticate: NTLM, BASIC realm=x')", "asks for a name and a password", 407),
            ("peer.answer('403 Forbidden')", "does not allow connections to example.org:8443 (403)", 403),
            ("peer.answer('502 Bad Gateway', body=b'x' * 100_000)", "could not connect to example.org:8443 (502)", 502),
            ("peer.redirect('https://portal.example/')", "answered 302, and may be no proxy", 302),
            ("peer.send(b'HTTP/1.1 200 OK\\r\\n\\r\\n' + b'<html>' * 1_000)", Self.ownPage, nil),
            ("peer.answer('200 OK', body=b'<html>')", Self.ownPage, nil),
            ("peer.send(b'SSH-2.0-OpenSSH_9.2\\r\\n')", "did not answer like a proxy", nil),
            ("peer.send(b'HTTP/1.1 200 OK\\r\\n' + b'X: y\\r\\n' * 100_000)", Self.tooMuch, nil),
            ("raise EOFError", "closed the connection instead of answering|broke the connection", nil),
        ] as [(String, String, Int?)])
    func hostile(behaviour: String, reason: String, status: Int?) async throws {
        try await ServicePeer.hostile(behaviour) { proxy in
            let client = try Self.client(through: proxy.port)
            let error = await failure { _ = try await client.open(Self.url) }
            #expect(error?.code == .proxyFailed && error?.httpStatus == status, "\(String(describing: error))")
            let told = error?.reason ?? ""
            #expect(told.hasPrefix("the proxy 127.0.0.1:\(proxy.port) "), "\(told)")
            #expect(reason.split(separator: "|").contains { told.contains($0) }, "\(told)")
        }
    }

    @Test("that refuses a password does not have it repeated")
    func refusedPassword() async throws {
        try await ServicePeer.hostile("peer.answer('407 No')") { proxy in
            let client = try Self.client(through: proxy.port, name: "ann:secret@")
            let error = await failure { _ = try await client.open(Self.url) }
            #expect(
                error?.reason == "the proxy 127.0.0.1:\(proxy.port) refuses the name and the password (407)")
        }
    }

    @Test(
        "that demands other schemes than Basic has them named, and no parameter, quoted text or control character",
        arguments: [
            (["Negotiate", "NTLM"], "Negotiate, NTLM"), (["Negotiate oRQwEg==, NTLM"], "Negotiate, NTLM"),
            (["Digest realm=\"a, Basic b\", nonce = \"\\\", Basic \", Bearer"], "Digest, Bearer"),
            (["Negotiate", "basic"], nil), (["Digest qop=auth ,\tBasic realm=\"x\""], nil), ([], nil),
            ([" ,, = "], nil),
            (["Nego\u{1B}[31m, N\u{202E}TLM, \u{A}Fake x, GNAP"], "GNAP"),
            ([String(repeating: "x", count: 1_000)], "xxxxxxxxxxxxxxxxxxxxxxxx…"),
            ([Array(repeating: "A", count: 1_000).joined(separator: ",")], "A, A, A, A, …"),
        ] as [([String], String?)])
    func schemes(values: [String], named: String?) {
        let headers = HTTPHeaders(values.map { ("Proxy-Authenticate", $0) })
        #expect(ProxyChallenge.unsupportedSchemes(in: headers) == named)
    }

    @Test("that demands another scheme is not asked for a password, whether or not there is one")
    func otherScheme() async throws {
        try await ServicePeer.hostile("peer.answer('407 No', 'Proxy-Authenticate: Negotiate')") { proxy in
            for name in ["", "ann:secret@"] {
                let client = try Self.client(through: proxy.port, name: name)
                let error = await failure { _ = try await client.open(Self.url) }
                #expect(error?.hasUnsupportedProxyScheme == true && error?.code == .proxyFailed)
                #expect(error?.reason.contains("password") == false, "\(String(describing: error))")
            }
        }
    }

    @Test(
        "has a time limit for its answer",
        arguments: ["time.sleep(60)", "while True: peer.send(b'HTTP/1.1 100 Continue\\r\\n\\r\\n'); time.sleep(0.1)"])
    func late(behaviour: String) async throws {
        try await ServicePeer.hostile(behaviour) { proxy in
            let client = try Self.client(through: proxy.port, limit: .seconds(1))
            let error = await failure { _ = try await client.open(Self.url) }
            #expect(error?.reason == "the proxy 127.0.0.1:\(proxy.port) did not answer in time")
            #expect(error?.code == .proxyFailed)
        }
    }

    @Test("that is not there is named, not the server")
    func absent() async throws {
        let error = await failure { _ = try await Self.client(through: 1).open(Self.url) }
        #expect(error?.code == .proxyFailed)
        #expect(error?.reason == "the proxy 127.0.0.1:1 could not be connected to: Connection refused")
        let nowhere = try TunnelClient(
            configuration: .with { $0.proxies = ProxySettings("proxy.invalid:1", environment: { _ in nil }) })
        let unresolved = await failure { _ = try await nowhere.open(Self.url) }
        #expect(unresolved?.reason == "the proxy proxy.invalid:1 has a name that could not be resolved")
    }

    @Test("is passed over for what no_proxy has, which an error says")
    func exception() async throws {
        let client = try TunnelClient(
            configuration: .with {
                $0.proxies = ProxySettings("127.0.0.1:1", environment: { $0 == "no_proxy" ? "invalid" : nil })
            })
        let error = await failure { _ = try await client.open("wss://tunnel.invalid/") }
        #expect(error?.code == .unreachable)
        #expect(
            error?.reason == "the name tunnel.invalid could not be resolved; no_proxy keeps it from the proxy")
    }

    @Test("carries pages too, whose redirects lead to no address of this machine or of its networks")
    func pages() async throws {
        let authority = try await TestAuthority.make()
        let page = "peer.answer('200 OK', body=b'page') if peer.path == '/' else peer.redirect(peer.path[1:])"
        try await ServicePeer.hostile(page, identity: authority.elsewhere) { site in
            try await ServicePeer.hostile("peer.relay(\(site.port))") { proxy in
                let proxies = ProxySettings("127.0.0.1:\(proxy.port)", environment: { _ in nil })
                let pages = try PageFetch(authorityFiles: [authority.file], proxies: proxies)
                #expect(try await pages.get("https://example.org/").body == Array("page".utf8))
                #expect(try await pages.get("https://example.org/https://example.org/").body == Array("page".utf8))
                // This machine is asked without a proxy, which shows where it is; an address not at all.
                for (host, code) in [
                    ("localhost:1", .redirectRefused), ("127.0.0.1:1", .redirectRefused), ("10.0.0.1", .proxyFailed),
                ] as [(String, DataChannelError.Code)] {
                    let error = await failure { _ = try await pages.get("https://example.org/https://\(host)/") }
                    #expect(error?.code == code, "\(host): \(String(describing: error))")
                }
                let absent = ProxySettings("127.0.0.1:1", environment: { _ in nil })
                let error = await failure {
                    _ = try await PageFetch(authorityFiles: [], proxies: absent).get("https://example.org/")
                }
                #expect(error?.code == .proxyFailed)
            }
        }
    }
}
