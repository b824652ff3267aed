import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("A tunnel's time limits", .serialized, .timeLimit(.minutes(5)))
struct TimeLimitTests {
    private let shortConnect = TunnelClient.Configuration.with { $0.connectTimeout = .seconds(1) }
    private let shortUpgrade = TunnelClient.Configuration.with { $0.upgradeTimeout = .seconds(1) }
    private let shortSilence = TunnelClient.Configuration.with { $0.idleTimeout = .seconds(2) }

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
            let error = await failure { _ = try await TunnelClient(configuration: shortUpgrade).open(peer.url) }
            #expect(error?.code == .timeout)
            #expect((.milliseconds(900)...(.seconds(20))).contains(ContinuousClock.now - started))
            #expect(await peer.ending() != nil)
        }
    }

    @Test(
        "bound a connection that is not accepted, and a TLS handshake that is not answered", arguments: [true, false])
    func connect(handshake: Bool) async throws {
        try await ServicePeer.hostile(ServicePeer.fullListener) { peer in
            let port = handshake ? peer.port : try await peer.portOfFullListener()
            let started = ContinuousClock.now
            let error = await failure {
                _ = try await TunnelClient(configuration: shortConnect).open("wss://127.0.0.1:\(port)/")
            }
            #expect(error?.code == .timeout)
            #expect(error?.reason.contains("connected") == true)
            #expect((.milliseconds(900)...(.seconds(20))).contains(ContinuousClock.now - started))
        }
    }

    @Test(
        "end a tunnel whose service is silent, or sends a byte of a message now and then",
        arguments: ["time.sleep(60)", "peer.send(b'\\x82\\x7d')\nwhile True: peer.send(b'x'); time.sleep(0.2)"])
    func idle(behaviour: String) async throws {
        try await ServicePeer.hostile("peer.accept()\n\(behaviour)") { peer in
            let started = ContinuousClock.now
            let channel = try await TunnelClient(configuration: shortSilence).open(peer.url).channel
            #expect(await failure { _ = try await channel.receive() }?.code == .timeout)
            #expect((.milliseconds(3900)...(.seconds(20))).contains(ContinuousClock.now - started))
        }
    }

    @Test("never end a tunnel whose service answers pings, however long the user thinks")
    func alive() async throws {
        let behaviour = """
            peer.accept()
            for _ in range(3):
                opcode, payload = peer.read_frame()
                say("ping", opcode == PING)
                peer.frame(PONG, payload)
            peer.frame(BINARY, b"thought")
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let started = ContinuousClock.now
            let channel = try await TunnelClient(configuration: shortSilence).open(peer.url).channel
            #expect(try await channel.receive() == Array("thought".utf8))
            #expect(ContinuousClock.now - started > .milliseconds(5900))
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
