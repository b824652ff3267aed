import HybridProtocol
import HybridTransport
import Testing

@testable import TunnelClient

@Suite("The URL of a tunnel", .serialized, .timeLimit(.minutes(5)))
struct WebSocketURLTests {
    @Test(
        "has a canonical form, an authority and a target",
        arguments: [
            ("wss://cable.ua5v.com/cable/new/00", "wss://cable.ua5v.com/cable/new/00", "cable.ua5v.com"),
            ("WSS://Cable.UA5V.com", "wss://cable.ua5v.com/", "cable.ua5v.com"),
            ("wss://a:443/", "wss://a/", "a"), ("ws://a:80/", "ws://a/", "a"), ("ws://a:443", "ws://a:443/", "a:443"),
            ("wss://127.0.0.1:8443/x?y=z", "wss://127.0.0.1:8443/x?y=z", "127.0.0.1:8443"),
            ("wss://[::1]:1/", "wss://[::1]:1/", "[::1]:1"), ("wss://[0:0::1]", "wss://[::1]/", "[::1]"),
            ("wss://a?q", "wss://a/?q", "a"), ("wss://a_b-c.d/%41", "wss://a_b-c.d/%41", "a_b-c.d"),
        ])
    func parses(text: String, canonical: String, authority: String) throws {
        let url = try WebSocketURL(parsing: text)
        #expect(url.description == canonical)
        #expect(url.authority == authority)
        #expect(try WebSocketURL(parsing: canonical) == url)
    }

    @Test(
        "is refused when it could mean two things",
        arguments: [
            "", "wss", "wss:", "wss:/a", "wss://", "wss:///x", "wss://:443/", "http://a/", "https://a/", "ftp://a/",
            "wss://user@a/", "wss://user:password@a/", "wss://a:0/", "wss://a:65536/", "wss://a:+1/", "wss://a:/",
            "wss://a:1:2/", "wss://a b/", "wss://a/\r\nX: y", "wss://a/\u{0}", "wss://a/ä", "wss://ä/", "wss://a#b",
            "wss://a/b#c", "wss://a/%", "wss://a/%4", "wss://a/%zz", "wss://.a/", "wss://a..b/",
            "wss://127.1/", "wss://0x7f000001/", "wss://1.2.3.4.5/", "wss://256.1.1.1/", "wss://[::1", "wss://::1/",
            "wss://[127.0.0.1]/", "wss://[::1%25lo]/", "wss://[fe80::1%lo]/", "wss://[::1]x/", "wss://[]/",
            "wss://a\\b/",
            "wss://a/<b>", "wss://a/\"", "wss://\(String(repeating: "a", count: 64))/",
            "wss://\(Array(repeating: "abc", count: 64).joined(separator: "."))/",
            "wss://a/\(String(repeating: "b", count: 8192))",
        ])
    func refuses(text: String) {
        #expect(throws: DataChannelError(.invalidURL, reason: "")) { try WebSocketURL(parsing: text) }
    }

    @Test(
        "without TLS is for this machine, unless it is allowed elsewhere",
        arguments: [
            "ws://example.org/", "ws://192.0.2.1/", "ws://localhost.example.org/", "ws://[::2]/", "ws://128.0.0.1/",
        ])
    func plaintext(text: String) async throws {
        #expect(await failure { _ = try await TunnelClient().open(text) }?.code == .invalidURL)
    }

    @Test(
        "that nothing answers at is named so",
        arguments: [("ws://127.0.0.1:1/", "refused"), ("ws://[::1]:1/", ""), ("wss://name.invalid/", "resolved")])
    func unreachable(text: String, word: String) async throws {
        let error = await failure { _ = try await TunnelClient().open(text) }
        #expect(error?.code == .unreachable)
        #expect(error?.reason.contains(word) == true || word.isEmpty, "\(String(describing: error))")
    }

    @Test(
        "resolves references as RFC 3986 section 5.4 shows",
        arguments: [
            ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"),
            ("g#s", "/b/c/g"), (";x", "/b/c/;x"), ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"),
            ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"), ("../..", "/"), ("../../g", "/g"),
            ("../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), ("..g", "/b/c/..g"),
            ("./g/.", "/b/c/g/"), ("g/../h", "/b/c/h"), ("g?y/../x", "/b/c/g?y/../x"),
        ])
    func references(location: String, target: String) throws {
        let base = try WebSocketURL(parsing: "wss://a/b/c/d;p?q")
        let resolved = try base.redirected(to: location)
        #expect(resolved.target == target)
        #expect(resolved.origin == "wss://a")
    }
}
