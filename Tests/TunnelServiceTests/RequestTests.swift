import Cryptography
import HybridProtocol
import Testing

@testable import TunnelService

@Suite("A request (HT-TUN-22)")
struct RequestTests {
    @Test("`new` is answered with 101, the subprotocol, the routing ID in lower case and no extension")
    func newIsAnswered() async throws {
        try await withService { service in
            let peer = try await RawPeer.connect(service.port)
            let answer = try await peer.shake(
                .new().with("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")
            )
            #expect(answer.status == 101)
            #expect(answer["Sec-WebSocket-Accept"] == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
            #expect(answer["Sec-WebSocket-Protocol"] == ["fido.cable"])
            #expect(answer["X-caBLE-Routing-ID"] == ["a1b2c3"])
            #expect(answer["Sec-WebSocket-Extensions"].isEmpty)
            #expect(answer["Upgrade"].map { $0.lowercased() } == ["websocket"])
            #expect(answer["Connection"].map { $0.lowercased() } == ["upgrade"])
            await peer.close()
        }
    }

    @Test("`connect` is answered with 101 and without a routing ID")
    func connectIsAnswered() async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            let client = try await RawPeer.connect(service.port)
            let answer = try await client.shake(.connect())
            #expect(answer.status == 101)
            #expect(answer["Sec-WebSocket-Protocol"] == ["fido.cable"])
            #expect(answer["X-caBLE-Routing-ID"].isEmpty)
            #expect(answer["X-caBLE-Signal-Connection"].isEmpty)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("hexadecimal digits are read in either case", arguments: [true, false], [true, false])
    func eitherCase(authenticatorUpper: Bool, clientUpper: Bool) async throws {
        try await withService { service in
            let lower = "00112233445566778899aabbccddeeff"
            let upper = lower.uppercased()
            let authenticator = try await service.authenticator(authenticatorUpper ? upper : lower)
            let client = try await RawPeer.connect(service.port)
            let answer = try await client.shake(
                .connect(clientUpper ? upper : lower, routingID: clientUpper ? "A1B2C3" : "a1b2c3")
            )
            #expect(answer.status == 101)
            try await client.send(WireFrame(payload: [1, 2, 3]))
            #expect(try await authenticator.message() == [1, 2, 3])
            await client.close()
            await authenticator.close()
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        let handshake: Handshake
        var header: (String, String)?
        var testDescription: String { "\(status): \(name)" }

        init(_ status: Int, _ name: String, _ handshake: Handshake, header: (String, String)? = nil) {
            self.status = status
            self.name = name
            self.handshake = handshake
            self.header = header
        }
    }

    static let tooLong = String(repeating: "0", count: 33)
    static let refused: [Case] = [
        Case(400, "tunnel ID of 31 digits", .new(String(Handshake.tunnelID.dropLast()))),
        Case(400, "tunnel ID of 33 digits", .new(tooLong)),
        Case(400, "tunnel ID with a letter that is not a digit", .new("g0112233445566778899aabbccddeeff")),
        Case(400, "tunnel ID with a sign", .new("+0112233445566778899aabbccddeeff")),
        Case(400, "tunnel ID with full-width digits", .new("%EF%BC%90112233445566778899aabbccddee")),
        Case(400, "empty tunnel ID", .new("")),
        Case(400, "a query after the tunnel ID", .new(Handshake.tunnelID + "?a=b")),
        Case(400, "a slash after the tunnel ID", .new(Handshake.tunnelID + "/")),
        Case(400, "routing ID of 5 digits", .connect(routingID: "a1b2c")),
        Case(400, "routing ID of 7 digits", .connect(routingID: "a1b2c3d")),
        Case(400, "no tunnel ID after the routing ID", Handshake(path: "/cable/connect/a1b2c3")),
        Case(400, "something after the tunnel ID", .connect(Handshake.tunnelID + "/x")),
        Case(400, "no subprotocol", .new().with("Sec-WebSocket-Protocol", nil)),
        Case(400, "another subprotocol", .new().with("Sec-WebSocket-Protocol", "fido.cable2, chat")),
        Case(400, "subprotocol in upper case", .new().with("Sec-WebSocket-Protocol", "FIDO.CABLE")),
        Case(400, "no Upgrade", .new().with("Upgrade", nil)),
        Case(400, "Upgrade to something else", .new().with("Upgrade", "h2c")),
        Case(400, "no Connection: Upgrade", .new().with("Connection", "keep-alive")),
        Case(400, "no key", .new().with("Sec-WebSocket-Key", nil)),
        Case(400, "key of 15 bytes", .new().with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j")),
        Case(400, "key that is not base64", .new().with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZ!==")),
        Case(
            400, "another version", .new().with("Sec-WebSocket-Version", "12"), header: ("Sec-WebSocket-Version", "13")
        ),
        Case(400, "no version", .new().with("Sec-WebSocket-Version", nil)),
        Case(400, "no Host", .new().with("Host", nil)),
        Case(400, "a body", .new().with("Content-Length", "5")),
        Case(400, "a chunked body", .new().with("Transfer-Encoding", "chunked")),
        Case(400, "HTTP/1.0", Handshake(version: "HTTP/1.0")),
        Case(403, "Origin of another name", .new().with("Origin", "wss://example.com")),
        Case(403, "Origin of a page", .new().with("Origin", "https://127.0.0.1")),
        Case(403, "two Origins", .new().with("Origin", "ws://127.0.0.1\r\nOrigin: ws://127.0.0.1")),
        Case(403, "Origin null", .new().with("Origin", "null")),
        Case(403, "Origin that ends like ours", .new().with("Origin", "wss://evil.127.0.0.1")),
        Case(404, "a tunnel that is not open", .connect()),
        Case(404, "another routing ID", .connect(routingID: "a1b2c4")),
        Case(404, "the root", Handshake(path: "/")),
        Case(404, "contact, which is not served without a contact secret", .contact([1, 2, 3])),
        Case(404, "listen, which is not served without a contact secret", .listen),
        Case(404, "a path that begins like listen", Handshake(path: "/cable/listen/")),
        Case(404, "the prefix in upper case", Handshake(path: "/CABLE/new/\(Handshake.tunnelID)")),
        Case(404, "a path that only begins alike", Handshake(path: "/cable/newer/\(Handshake.tunnelID)")),
        Case(405, "POST", Handshake(method: "POST"), header: ("Allow", "GET")),
        Case(405, "HEAD", Handshake(method: "HEAD"), header: ("Allow", "GET")),
        Case(405, "OPTIONS on an unknown path", Handshake(method: "OPTIONS", path: "/"), header: ("Allow", "GET")),
        Case(431, "a head of more than 8 KiB", .new().with("X-Padding", String(repeating: "a", count: 9_000))),
    ]

    @Test("a bad one is refused with its status, one line of plain text, and the connection's end", arguments: refused)
    func refusals(_ refused: Case) async throws {
        try await withService { service in
            let peer = try await RawPeer.connect(service.port)
            try await peer.send(refused.handshake.text)
            let answer = try await peer.lastAnswer()
            #expect(answer.status == refused.status)
            #expect(answer["Content-Type"] == ["text/plain; charset=utf-8"])
            #expect(answer["Connection"] == ["close"])
            #expect(answer["Date"].first.flatMap(HTTPDate.seconds) != nil)
            #expect(answer["Content-Length"].first.flatMap { Int($0) } ?? 0 > 1)
            if refused.handshake.method == "HEAD" {
                #expect(answer.body.isEmpty)
            } else {
                #expect(answer.body.hasSuffix("\n") && answer.body.count(where: \.isNewline) == 1)
                #expect(answer["Content-Length"] == ["\(answer.body.utf8.count)"])
            }
            if let (name, value) = refused.header { #expect(answer[name] == [value]) }
            await peer.close()
            try await until { service.connectionCount == 0 }
        }
    }

    @Test("a tunnel ID in use is refused with 409, to authenticators and to a second client")
    func inUse() async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            try await expectStatus(409, .new(), service)
            let client = try await service.client()
            try await expectStatus(409, .new(), service)
            try await expectStatus(409, .connect(), service)
            #expect(service.pairedTunnelCount == 1)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("a tunnel ID is free again when its tunnel has ended")
    func freeAgain() async throws {
        try await withService { service in
            for _ in 0..<3 {
                let (authenticator, client) = try await service.pair()
                await client.close()
                #expect(try await authenticator.closeCode() == 1001)
                await authenticator.close()
                try await until { service.pairedTunnelCount == 0 }
            }
        }
    }

    @Test("a second client's routing ID is looked at before the tunnel is touched")
    func wrongRoutingIDLeavesTheTunnel() async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            try await expectStatus(404, .connect(routingID: "000000"), service)
            #expect(service.pendingTunnelCount == 1)
            await authenticator.close()
        }
    }

    static let namesAndOrigins: [(String, String, Bool)] = [
        ("cable.ua5v.com", "wss://cable.ua5v.com", true),
        ("cable.ua5v.com:8443", "wss://cable.ua5v.com", true),
        ("localhost:8443", "wss://localhost:8443", true),
        ("localhost:8443", "WSS://LocalHost", true),
        ("[::1]:8443", "wss://[::1]", true),
        ("[::1]:8443", "wss://[::1]:8443", true),
        ("localhost", "ws://localhost", true),
        ("localhost", "wss://relay.example", true),
        ("walk.example", "wss://wal\u{212A}.example", false),
        ("localhost", "wss://other.example", false),
        ("localhost", "wss://localhost.example", false),
        ("localhost", "wss://", false),
        ("localhost", "", false),
    ]

    @Test("an Origin is our name, whichever the port, or a configured one", arguments: namesAndOrigins)
    func origins(host: String, origin: String, accepted: Bool) async throws {
        try await withService(hostNames: ["Relay.example"]) { service in
            try await expectStatus(accepted ? 101 : 403, .new().with("Host", host).with("Origin", origin), service)
        }
    }

    @Test(
        "a configured name is an Origin of every kind of request, and another is of none",
        arguments: [Handshake.new(), .connect(), .contact([1]), .listen])
    func originOfEach(handshake: Handshake) async throws {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        let tokens = try ContactTokenIssuer(secret: secret)
        try await withService(hostNames: [Handshake.host, "Relay.example"], contactTokens: tokens) { service in
            for (origin, isOurs) in [("wss://relay.example", true), ("wss://other.example", false)] {
                let peer = try await RawPeer.connect(service.port)
                let status = try await peer.shake(handshake.with("Origin", origin)).status
                #expect((status != 403) == isOurs, "\(status) for \(origin)")
                await peer.close()
            }
        }
    }

    @Test("the subprotocol may stand among others, in one header or several")
    func subprotocolAmongOthers() async throws {
        try await withService { service in
            try await expectStatus(101, .new().with("Sec-WebSocket-Protocol", "chat, fido.cable"), service)
            var several = Handshake.new("ffeeddccbbaa99887766554433221100").with("Sec-WebSocket-Protocol", "chat")
            several.headers.append(("Sec-WebSocket-Protocol", "fido.cable"))
            try await expectStatus(101, several, service)
        }
    }

    @Test(
        "two Host headers, keys, versions or Origins are refused",
        arguments: [
            ("Host", "127.0.0.1"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
        ])
    func twice(name: String, value: String) async throws {
        try await withService { service in
            var twice = Handshake.new()
            twice.headers.append((name, value))
            try await expectStatus(400, twice, service)
        }
    }

    @Test("a message right behind the request, before the 101, is not lost")
    func eager() async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            let client = try await RawPeer.connect(service.port)
            try await client.send(Array(Handshake.connect().text.utf8) + WireFrame(payload: [7]).bytes)
            #expect(try await authenticator.message() == [7])
            await client.close()
            await authenticator.close()
        }
    }

    private func expectStatus(
        _ status: Int, _ handshake: Handshake, _ service: RunningTunnelService,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let peer = try await RawPeer.connect(service.port)
        #expect(try await peer.shake(handshake).status == status, sourceLocation: location)
        await peer.close()
    }
}
