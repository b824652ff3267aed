import HybridProtocol
import HybridTransport
import Testing

@testable import TunnelClient

@Suite("The way to a server")
struct ProxySettingsTests {
    private static func way(
        to url: String = "wss://tunnel.example.org/", _ variables: [String: String], option: String? = nil
    ) throws -> String {
        switch try ProxySettings(option, environment: { variables[$0] }).way(to: url) {
        case .direct: "direct"
        case .toThisMachine: "this machine"
        case .excepted: "excepted"
        case .through(let proxy): "\(proxy)"
        }
    }

    @Test(
        "is through the proxy of the first variable that has one, as with curl",
        arguments: [
            ([:], "direct"), (["https_proxy": ""], "direct"), (["http_proxy": "a:1"], "direct"),
            (["https_proxy": "a:1", "HTTPS_PROXY": "b:2", "all_proxy": "c:3", "ALL_PROXY": "d:4"], "a:1"),
            (["https_proxy": "", "HTTPS_PROXY": "b:2", "all_proxy": "c:3", "ALL_PROXY": "d:4"], "b:2"),
            (["all_proxy": "c:3", "ALL_PROXY": "d:4"], "c:3"), (["ALL_PROXY": "d:4"], "d:4"),
            (["https_proxy": "http://Proxy.Example"], "proxy.example:1080"),
            (["https_proxy": "HTTP://a:8080/path?x"], "a:8080"), (["https_proxy": "http://[::1]:3128"], "[::1]:3128"),
            (["https_proxy": "ann:secret@a:1"], "a:1"), (["https_proxy": "http://ann:p%40ss@a:1/"], "a:1"),
        ])
    func variables(_ variables: [String: String], way: String) throws {
        #expect(try Self.way(variables) == way)
    }

    @Test("is that of the option rather than the environment's, with the same exceptions")
    func option() throws {
        #expect(try Self.way(["https_proxy": "a:1"], option: "b:2") == "b:2")
        #expect(try Self.way(["no_proxy": "example.org"], option: "b:2") == "excepted")
    }

    @Test("is never through a proxy to this machine", arguments: ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
    func loopback(host: String) throws {
        #expect(try Self.way(to: "wss://\(host)/", ["https_proxy": "a:1"], option: nil) == "this machine")
    }

    @Test(
        "is direct to what no_proxy has",
        arguments: [
            ("*", "wss://a.example/", true), ("a.example", "wss://a.example/", true),
            (".a.example", "wss://a.example/", true), ("A.Example", "wss://a.example:8443/", true),
            ("b.example, example", "wss://a.example/", true), ("b.example a.example", "wss://a.example/", true),
            ("example", "wss://badexample.org/", false), ("example", "wss://an.example.org/", false),
            ("a.example", "wss://example/", false), ("a.example", "wss://ba.example/", false),
            (".", "wss://a.example/", false), (",, ,", "wss://a.example/", false),
            ("10.0.0.1", "wss://10.0.0.1/", true), ("10.0.0.1", "wss://10.0.0.12/", false),
            ("10.0.0.0/8", "wss://10.200.0.1/", true), ("10.0.0.0/8", "wss://11.0.0.1/", false),
            ("10.0.0.0/9", "wss://10.128.0.1/", false), ("0.0.0.0/0", "wss://10.0.0.1/", true),
            ("10.0.0.0/33", "wss://10.0.0.1/", false), ("10.0.0.0/", "wss://10.0.0.1/", false),
            ("2001:db8::/32", "wss://[2001:db8::7]/", true), ("[2001:db8::7]", "wss://[2001:db8::7]/", true),
            ("2001:db8::/32", "wss://[2001:db9::7]/", false), ("::/0", "wss://10.0.0.1/", false),
            ("0.0.0.1", "wss://a.example/", false),
        ])
    func exceptions(entries: String, url: String, isExcepted: Bool) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let isAddress = url.dropFirst("wss://".count).first.map { $0.isNumber || $0 == "[" } == true
            let way = try? Self.way(to: url, ["https_proxy": "a:1", name: entries])
            // An address has no certificate that could be judged through a proxy.
            #expect(way == (isExcepted ? "excepted" : isAddress ? nil : "a:1"))
        }
    }

    @Test(
        "is refused through a proxy that cannot be understood, without repeating it",
        arguments: [
            "socks5://ann:secret@a:1", "https://ann:secret@a:1", "http://ann:secret@", "http://ann:secret@a:0",
            "http://ann:secret@a:99999", "http://ann:secret%4@a:1", "http://ann:secret%zz@a:1", "ann:secret@a b:1",
            "http://ann:secret@a:1\r\nX: y", "http://ann:secret@[a]:1",
        ])
    func malformed(address: String) throws {
        let settings = ProxySettings(environment: { $0 == "https_proxy" ? address : nil })
        #expect(!settings.isWellFormed)
        let error = #expect(throws: DataChannelError.self) { try settings.way(to: "wss://tunnel.example.org/") }
        #expect(error?.code == .proxyFailed && error?.reason.contains("https_proxy") == true)
        #expect(error?.reason.contains("secret") == false && error?.reason.contains("ann") == false)
        // A request that does not use it is not disturbed.
        #expect(throws: Never.self) { try settings.way(to: "wss://localhost/") }
    }

    @Test("hides a password in every description, and gives it to the proxy alone")
    func secrecy() throws {
        let settings = ProxySettings(environment: { $0 == "https_proxy" ? "http://ann:s%3Acret@a:1" : nil })
        var text = "\(settings) \(String(reflecting: settings))"
        dump(settings, to: &text)
        let proxy = try #require(try settings.way(to: "wss://tunnel.example.org/").proxy)
        text += "\(proxy) \(String(reflecting: proxy))"
        dump(proxy, to: &text)
        #expect(!text.contains("cret") && !text.contains("YW5u"), "\(text)")
        // printf 'ann:s:cret' | base64
        #expect(proxy.credentials?.header == "Basic YW5uOnM6Y3JldA==")
        #expect(try Proxy(parsing: "ann@a:1", from: "x").credentials?.header == "Basic YW5uOg==")
    }
}
