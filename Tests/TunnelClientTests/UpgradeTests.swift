import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("An upgrade request", .serialized, .timeLimit(.minutes(5)))
struct UpgradeTests {
    @Test("is a GET for the path with the subprotocol, the origin and the caller's headers, and no extension")
    func request() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let tunnel = try await TunnelClient().open(peer.url, headers: [("X-caBLE-Client-Payload", "a1")])
            await tunnel.channel.close()
            let lines = await peer.lines(through: "close")
            #expect(lines.first == "accepted")
            #expect(lines.dropFirst().first == "request GET /cable/new/00112233445566778899aabbccddeeff HTTP/1.1")
            let headers = lines.filter { $0.hasPrefix("header") }
            for expected in [
                "Host: 127.0.0.1:\(peer.port)", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: fido.cable",
                "Origin: ws://127.0.0.1:\(peer.port)", "X-caBLE-Client-Payload: a1",
            ] {
                #expect(headers.contains("header \(expected)"), "\(expected)")
            }
            #expect(headers.count { $0.hasPrefix("header Sec-WebSocket-Key: ") } == 1)
            #expect(!headers.contains { $0.lowercased().contains("extensions") })
        }
    }

    @Test(
        "is not sent with a header that would become two",
        arguments: [
            ("X", "a\r\nY: b"), ("X: a\r\nY", "b"), ("X", "a\nb"), ("", "a"), ("X:", "a"), ("X", "\u{0}"), ("Ä", "a"),
        ])
    func unsoundHeader(name: String, value: String) async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url, headers: [(name, value)]) }
            #expect(error?.code == .upgradeRefused)
            #expect(error?.httpStatus == nil)
        }
    }

    @Test("is sent without an origin if so configured")
    func requestWithoutOrigin() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let client = try TunnelClient(configuration: .with { $0.sendsOrigin = false })
            await (try client.open(peer.url)).channel.close()
            #expect(await !peer.lines(through: "close").contains { $0.lowercased().contains("origin") })
        }
    }

    @Test("is accepted with the routing ID, in whatever case the header's name is", arguments: [nil, "0a0b0c"])
    func routingID(value: String?) async throws {
        let header = value.map { "'x-CABLE-routing-id: \($0)'" } ?? ""
        try await ServicePeer.hostile("peer.accept(\(header))") { peer in
            let tunnel = try await TunnelClient().open(peer.url)
            #expect(tunnel.routingIDHeader == value)
            await tunnel.channel.close()
        }
    }

    @Test("is accepted with the first message in the same segment as the answer")
    func messageWithAnswer() async throws {
        try await ServicePeer.hostile("peer.accept(after=peer.bytes_of_frame(BINARY, b'early'))") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(try await channel.receive() == Array("early".utf8))
            await channel.close()
        }
    }

    @Test("is accepted after an interim answer, and with an answer that comes byte by byte")
    func interimAnswer() async throws {
        let behaviour = """
            for byte in b"HTTP/1.1 100 Continue\\r\\n\\r\\n":
                peer.send(bytes([byte]))
            peer.accept()
            """
        try await ServicePeer.hostile(behaviour) { peer in
            await (try TunnelClient().open(peer.url)).channel.close()
            #expect(await peer.ending() == "end")
        }
    }

    @Test(
        "that is refused has the status in its error, and its meaning in the reason",
        arguments: [
            400, 401, 403, 404, 405, 408, 409, 418, 426, 431, 500, 501, 502, 504, 599, 200, 204, 300, 304, 305,
        ])
    func refusedWithStatus(status: Int) async throws {
        try await ServicePeer.hostile("peer.answer('\(status) Whatever', body=b'x' * 100)") { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url) }
            #expect(error?.code == .upgradeRefused)
            #expect(error?.httpStatus == status)
            #expect(error?.reason.hasPrefix("the tunnel service answered \(status): ") == true)
            #expect(error?.reason.contains("Whatever") == false)
            _ = await peer.ending()
        }
    }

    @Test(
        "that is refused says what the status means for what was asked",
        arguments: [
            (404, "new", "it opens no tunnels at this path, and may be no tunnel service"),
            (404, "connect/0a0b0c", "it knows no such tunnel: the other device has left"),
            (404, "contact", "it reaches no linked devices"), (404, "listen", "it wakes no authenticators"),
            (404, "else", "it has nothing at this path"),
            (410, "new", "it no longer serves this path, and may be no tunnel service"),
            (410, "connect/0a0b0c", "the tunnel is gone"),
            (410, "contact", "the link has ended: it was revoked, or the service no longer has its secret"),
            (403, "new", "it does not serve this name, or does not admit this device"),
            (503, "new", "it is overloaded or under maintenance"),
            (503, "contact", "the linked device does not listen, or the service is overloaded"),
        ])
    func meaning(status: Int, path: String, meaning: String) async throws {
        try await ServicePeer.hostile("peer.answer('\(status) Whatever')") { peer in
            let url = "ws://127.0.0.1:\(peer.port)/cable/\(path)/00112233445566778899aabbccddeeff"
            let error = await failure { _ = try await TunnelClient().open(url) }
            #expect(error?.reason.hasPrefix("the tunnel service answered \(status): \(meaning)") == true)
            #expect(error?.httpStatus == status)
            #expect((error?.code == .gone) == (status == 410))
        }
    }

    @Test(
        "is refused without the subprotocol fido.cable, exactly once",
        arguments: [
            "peer.accept(without=['Sec-WebSocket-Protocol'])",
            "peer.accept('Sec-WebSocket-Protocol: chat', without=['Sec-WebSocket-Protocol'])",
            "peer.accept('Sec-WebSocket-Protocol: FIDO.cable', without=['Sec-WebSocket-Protocol'])",
            "peer.accept('Sec-WebSocket-Protocol: fido.cable, chat', without=['Sec-WebSocket-Protocol'])",
            "peer.accept('Sec-WebSocket-Protocol: fido.cable')",
        ])
    func subprotocolMissing(behaviour: String) async throws {
        try await expect(.subprotocolMissing, from: behaviour)
    }

    @Test(
        "is refused when the answer is not an upgrade to a WebSocket",
        arguments: [
            "peer.accept(without=['Upgrade'])",
            "peer.accept(without=['Connection'])",
            "peer.accept(without=['Sec-WebSocket-Accept'])",
            "peer.accept('Upgrade: h2c', without=['Upgrade'])",
            "peer.accept('Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=', without=['Sec-WebSocket-Accept'])",
            "peer.accept('Sec-WebSocket-Accept: ' + peer.accept_key())",
            "peer.accept('Sec-WebSocket-Extensions: permessage-deflate')",
            "peer.accept('X-caBLE-Routing-ID: 0a0b0c', 'x-cable-routing-id: 0a0b0c')",
            "peer.accept('X-caBLE-Routing-ID: ' + '0' * 1000)",
            "peer.accept(version='HTTP/1.0')",
        ])
    func noUpgrade(behaviour: String) async throws {
        try await expect(.upgradeRefused, from: behaviour)
    }

    @Test(
        "is refused when the answer is garbage, or longer than an answer may be",
        arguments: [
            "peer.send(b'garbage\\r\\n\\r\\n')",
            "peer.send(b'HTTP/1.1 abc\\r\\n\\r\\n')",
            "peer.send(b'HTTP/9.9 101 Switching\\r\\n\\r\\n')",
            "peer.send(b'SSH-2.0-OpenSSH_9.2\\r\\n')",
            "peer.send(bytes(range(256)) * 4)",
            "peer.send(b'\\x16\\x03\\x01\\x02\\x00\\x01\\x00\\x01')",
            "peer.send(b'HTTP/1.1 101 Switching\\r\\nUpgrade : websocket\\r\\n\\r\\n')",
            "peer.send(b'HTTP/1.1 101 ' + b'x' * (1 << 20))",
            "peer.send(b'HTTP/1.1 200 OK\\r\\n' + b'X: y\\r\\n' * (1 << 18))",
            "peer.send(b'HTTP/1.1 200 OK\\r\\nX: ' + b'y' * (1 << 20))",
            "peer.send(b'HTTP/1.1 100 Continue\\r\\n\\r\\n' * (1 << 18))",
        ])
    func garbage(behaviour: String) async throws {
        try await expect(.upgradeRefused, from: behaviour)
    }

    @Test(
        "fails when the service closes before its answer is complete",
        arguments: ["raise EOFError", "peer.send(b'HTTP/1.1 101 Swi'); raise EOFError"])
    func closesEarly(behaviour: String) async throws {
        try await expect(.connectionLost, from: behaviour)
    }

    @Test("does not wait for the body of a refusal, however long")
    func endlessBody() async throws {
        let behaviour = """
            peer.send(b"HTTP/1.1 500 Internal Server Error\\r\\nContent-Length: 1000000000\\r\\n\\r\\n")
            while True: peer.send(b"x" * 65536)
            """
        try await expect(.upgradeRefused, from: behaviour)
    }

    /// Opens a tunnel to a service that behaves so; expects the error, and the connection closed.
    private func expect(_ code: DataChannelError.Code, from behaviour: String) async throws {
        try await ServicePeer.hostile(behaviour) { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(await peer.ending() != nil)
        }
    }
}
