import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("A redirect", .serialized, .timeLimit(.minutes(5)))
struct RedirectTests {
    @Test("is not followed where the server of the URL must be the one that answers")
    func notFollowed() async throws {
        try await ServicePeer.hostile("peer.redirect('/moved') if peer.number == 1 else peer.accept()") { peer in
            let client = try TunnelClient()
            var request = TunnelRequest(url: peer.url)
            request.followsRedirects = false
            let error = await failure { [request] in _ = try await client.open(request) }
            #expect(error?.code == .redirectRefused)
            // The peer's second connection is not redirected.
            await (try client.open(request)).channel.close()
        }
    }

    @Test("is followed, with the headers sent again", arguments: [301, 302, 303, 307, 308])
    func followed(status: Int) async throws {
        let behaviour = "peer.redirect('/moved', '\(status) Elsewhere') if peer.number == 1 else peer.accept()"
        try await ServicePeer.hostile(behaviour) { peer in
            let tunnel = try await TunnelClient().open(peer.url, headers: [("X-caBLE-Client-Payload", "a1")])
            await tunnel.channel.close()
            let lines = await peer.lines(through: "close")
            #expect(lines.filter { $0.hasPrefix("request") }.last == "request GET /moved HTTP/1.1")
            #expect(lines.count { $0 == "header X-caBLE-Client-Payload: a1" } == 2)
            #expect(lines.count { $0 == "header Sec-WebSocket-Protocol: fido.cable" } == 2)
            #expect(Set(lines.filter { $0.hasPrefix("header Sec-WebSocket-Key") }).count == 2)
        }
    }

    @Test(
        "may be relative, of another scheme's name, or to another port",
        arguments: [
            ("/a/../b?c=d", "/b?c=d"), ("moved", "/cable/new/moved"), ("?q", "/cable/new/0011?q"),
            ("http://localhost:PORT/x", "/x"), ("ws://127.0.0.1:PORT", "/"), ("//127.0.0.1:PORT/y#fragment", "/y"),
        ])
    func resolved(location: String, path: String) async throws {
        let behaviour = """
            location = "\(location)".replace("PORT", peer.headers["host"].split(":")[1])
            peer.redirect(location) if peer.number == 1 else peer.accept()
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let url = "ws://127.0.0.1:\(peer.port)/cable/new/0011"
            await (try TunnelClient().open(url)).channel.close()
            #expect(await peer.next("request") == "GET /cable/new/0011 HTTP/1.1")
            #expect(await peer.next("request") == "GET \(path) HTTP/1.1")
        }
    }

    @Test("to a server that does not answer is named in the error")
    func unreachable() async throws {
        try await ServicePeer.hostile("peer.redirect('ws://127.0.0.1:1/moved')") { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url) }
            #expect(error?.code == .unreachable)
            #expect(error?.reason.hasSuffix("127.0.0.1:\(peer.port) redirects to it") == true, "\(error?.reason ?? "")")
        }
    }

    @Test("is followed five times, and not six")
    func fiveTimes() async throws {
        let behaviour = "peer.redirect(f'/{peer.number}') if peer.number <= LIMIT else peer.accept()"
        try await ServicePeer.hostile(behaviour.replacing("LIMIT", with: "5")) { peer in
            await (try TunnelClient().open(peer.url)).channel.close()
        }
        try await ServicePeer.hostile(behaviour.replacing("LIMIT", with: "6")) { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url) }
            #expect(error?.code == .redirectRefused)
            #expect(error?.reason.contains("more than 5") == true)
        }
    }

    @Test("in a loop is refused", arguments: ["peer.path", "'/a' if peer.number % 2 else '/b'"])
    func loop(location: String) async throws {
        try await ServicePeer.hostile("peer.redirect(\(location))") { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url) }
            #expect(error?.code == .redirectRefused)
            #expect(error?.reason.contains("loop") == true)
        }
    }

    @Test(
        "to what is not a tunnel is refused",
        arguments: [
            "ftp://127.0.0.1/", "file:///etc/passwd", "javascript:alert(1)", "ws://user@127.0.0.1/",
            "ws://127.0.0.1:0/",
            "ws://example.org/", "http://192.0.2.1/", "ws://[::1/", "/a b", "/%zz", "///", "ws:///x", "ws:x",
        ])
    func refused(location: String) async throws {
        try await ServicePeer.hostile("peer.redirect('\(location)')") { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url) }
            #expect(error?.code == .redirectRefused, "\(String(describing: error))")
        }
    }

    @Test(
        "without exactly one location is refused",
        arguments: ["peer.answer('302 Found')", "peer.answer('302 Found', 'Location: /a', 'Location: /b')"])
    func withoutLocation(behaviour: String) async throws {
        try await ServicePeer.hostile(behaviour) { peer in
            #expect(await failure { _ = try await TunnelClient().open(peer.url) }?.code == .redirectRefused)
        }
    }

    @Test("never leaves TLS, even for this machine or where plain text is allowed", arguments: ["ws", "http"])
    func staysInTLS(scheme: String) async throws {
        let authority = try await TestAuthority.make()
        try await ServicePeer.hostile("peer.redirect('\(scheme)://127.0.0.1:1/')", identity: authority.loopback) {
            peer in
            let client = try TunnelClient(
                configuration: .with {
                    $0.additionalAuthorities = [authority.file]
                    $0.allowsPlaintext = true
                })
            let error = await failure { _ = try await client.open("wss://localhost:\(peer.port)/") }
            #expect(error?.code == .redirectRefused)
            #expect(error?.reason.contains("TLS") == true)
        }
    }
}
