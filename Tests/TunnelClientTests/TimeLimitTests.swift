import Edges
import Testing
import TunnelClient

@Suite("A tunnel's time limits", .timeLimit(.minutes(3)))
struct TimeLimitTests {
    private let short = TunnelClient.Configuration.with {
        $0.connectTimeout = .seconds(1)
        $0.upgradeTimeout = .seconds(1)
        $0.idleTimeout = .seconds(1)
    }

    @Test(
        "bound a service that does not answer the request, or answers a byte now and then",
        arguments: [
            "peer.wait_for_end()",
            "for byte in b'HTTP/1.1 101 Switching Protocols': peer.send(bytes([byte])); time.sleep(0.2)",
            "while True: peer.send(b'HTTP/1.1 100 Continue\\r\\n\\r\\n'); time.sleep(0.2)",
        ])
    func upgrade(behaviour: String) async throws {
        try await ServicePeer.hostile(behaviour) { peer in
            let started = ContinuousClock.now
            let error = await failure { _ = try await TunnelClient(configuration: short).open(peer.url) }
            #expect(error?.code == .timeout)
            #expect((.milliseconds(900)...(.seconds(20))).contains(ContinuousClock.now - started))
            #expect(await peer.ending() != nil)
        }
    }

    @Test("bound a name look-up, a connection and a TLS handshake together")
    func connect() async throws {
        // A listener whose backlog is full answers no connection; one that accepts and is silent, no handshake.
        try await ServicePeer.hostile("pass") { peer in
            let url = "wss://127.0.0.1:\(peer.port)/"
            let error = await failure { _ = try await TunnelClient(configuration: short).open(url) }
            #expect(error?.code == .timeout)
            #expect(error?.reason.contains("connected") == true)
        }
    }

    @Test(
        "end a tunnel whose service shows no sign of life, or a byte of a message now and then",
        arguments: ["time.sleep(60)", "peer.send(b'\\x82\\x7d')\nwhile True: peer.send(b'x'); time.sleep(0.2)"])
    func idle(behaviour: String) async throws {
        try await ServicePeer.hostile("peer.accept()\n\(behaviour)") { peer in
            let channel = try await TunnelClient(configuration: short).open(peer.url).channel
            let started = ContinuousClock.now
            #expect(await failure { _ = try await channel.receive() }?.code == .timeout)
            #expect((.milliseconds(1900)...(.seconds(20))).contains(ContinuousClock.now - started))
        }
    }

    @Test("never end a tunnel whose service answers pings, however long a person thinks")
    func alive() async throws {
        let behaviour = """
            peer.accept()
            for _ in range(4):
                opcode, payload = peer.read_frame()
                say("ping", opcode == PING)
                peer.frame(PONG, payload)
            peer.frame(BINARY, b"thought")
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let channel = try await TunnelClient(configuration: short).open(peer.url).channel
            let started = ContinuousClock.now
            #expect(try await channel.receive() == Array("thought".utf8))
            #expect(ContinuousClock.now - started > .milliseconds(3500))
            await channel.close()
        }
    }

    @Test("bound the wait for a service that does not answer a close")
    func close() async throws {
        try await ServicePeer.hostile("peer.accept(); time.sleep(60)") { peer in
            let channel = try await TunnelClient(configuration: .with { $0.closeTimeout = .seconds(1) })
                .open(peer.url).channel
            let started = ContinuousClock.now
            await channel.close()
            #expect((.milliseconds(900)...(.seconds(20))).contains(ContinuousClock.now - started))
        }
    }
}
