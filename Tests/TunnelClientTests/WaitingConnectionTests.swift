import HybridProtocol
import HybridTransport
import Testing

@testable import TunnelClient

/// A connection that is made before there is a request: whatever the server does with it, the request finds its way.
@Suite("A connection that is made ahead", .timeLimit(.minutes(2)))
struct WaitingConnectionTests {
    private static let path = "/cable/connect/0a0b0c/00112233445566778899aabbccddeeff"

    /// A request that takes the connection, or one that does not.
    private static func request(_ peer: ServicePeer, _ scheme: String = "ws", takes: Bool = true) -> TunnelRequest {
        var request = TunnelRequest(url: "\(scheme)://127.0.0.1:\(peer.port)\(path)")
        request.takesConnection = takes
        return request
    }

    private static func service(_ peer: ServicePeer, _ scheme: String = "ws") -> TunnelURL.Service {
        .init(address: "\(scheme)://127.0.0.1:\(peer.port)")
    }

    /// Opens a tunnel, and closes it; returns how many connections the peer has accepted by then, beside those that
    /// were read before.
    private static func open(
        _ request: TunnelRequest, by client: TunnelClient, at peer: ServicePeer
    ) async throws -> Int {
        await (try client.open(request)).channel.close()
        return await peer.lines(through: "close").count { $0 == "accepted" }
    }

    @Test("carries the request, with TLS and without", arguments: [false, true])
    func taken(isSecure: Bool) async throws {
        let authority = try await TestAuthority.make()
        let scheme = isSecure ? "wss" : "ws"
        try await ServicePeer.hostile("peer.accept()", identity: isSecure ? authority.loopback : nil) { peer in
            let client = try TunnelClient(configuration: .with { $0.additionalAuthorities = [authority.file] })
            let service = Self.service(peer, scheme)
            let ahead = Task { await client.connectAhead(to: service) }
            #expect(await peer.next("accepted") != nil)
            #expect(try await Self.open(Self.request(peer, scheme), by: client, at: peer) == 0)
            #expect(await ahead.value)
        }
    }

    @Test("is not taken by another kind of request, and says nothing and ends with its task")
    func cancelled() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let client = try TunnelClient()
            let service = Self.service(peer)
            let ahead = Task { await client.connectAhead(to: service) }
            #expect(await peer.next("accepted") != nil)
            #expect(try await Self.open(Self.request(peer, takes: false), by: client, at: peer) == 1)
            #expect(await peer.next("end") != nil)
            ahead.cancel()
            #expect(await peer.lines(through: "end") == ["end"])
            #expect(await !ahead.value)
            #expect(try await Self.open(Self.request(peer), by: client, at: peer) == 1)
        }
    }

    @Test("is not taken by a request to another server")
    func elsewhere() async throws {
        try await ServicePeer.hostile("peer.accept()") { other in
            try await ServicePeer.hostile("peer.accept()") { peer in
                let client = try TunnelClient()
                let service = Self.service(other)
                let ahead = Task { await client.connectAhead(to: service) }
                #expect(await other.next("accepted") != nil)
                #expect(try await Self.open(Self.request(peer), by: client, at: peer) == 1)
                ahead.cancel()
                #expect(await !ahead.value)
                #expect(await other.lines(through: "end") == ["end"])
            }
        }
    }

    @Test(
        "is given up where the server speaks first or ends it, and the request makes another",
        arguments: [
            #"peer.connection.sendall(b"HTTP/1.1 408 Request Timeout\r\n\r\n")"#,
            #"peer.connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x00")"#,
            #"peer.connection.sendall(b"\0" * 300000)"#, "raise EOFError",
        ])
    func refused(first: String) async throws {
        try await ServicePeer.hostile("if peer.number == 1: \(first)\n---\npeer.accept()") { peer in
            let client = try TunnelClient()
            #expect(await !client.connectAhead(to: Self.service(peer)))
            #expect(try await Self.open(Self.request(peer), by: client, at: peer) == 2)
        }
    }

    @Test("whose end crosses the request costs no more than another")
    func crossed() async throws {
        try await ServicePeer.hostile("if peer.number == 1: raise EOFError\npeer.accept()") { peer in
            let client = try TunnelClient()
            let service = Self.service(peer)
            let ahead = Task { await client.connectAhead(to: service) }
            #expect(await peer.next("accepted") != nil)
            #expect(try await Self.open(Self.request(peer), by: client, at: peer) == 1)
            #expect(await ahead.value)
        }
    }

    @Test("ends when it has waited for too long")
    func old() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let client = try TunnelClient(configuration: .with { $0.waitingTimeout = .milliseconds(100) })
            #expect(await !client.connectAhead(to: Self.service(peer)))
            #expect(await peer.lines(through: "end") == ["accepted", "end"])
        }
    }

    @Test("that the server never takes a request on fails once, as the second does")
    func twice() async throws {
        try await ServicePeer.hostile("raise EOFError") { peer in
            let client = try TunnelClient()
            let service = Self.service(peer)
            let ahead = Task { await client.connectAhead(to: service) }
            #expect(await peer.next("accepted") != nil)
            #expect(await failure { _ = try await client.open(Self.request(peer)) }?.code == .connectionLost)
            #expect(await ahead.value)
            #expect(await peer.lines(through: "accepted").last == "accepted")
        }
    }

    @Test("is not made where nothing answers, nor to ws:// elsewhere")
    func unreachable() async throws {
        let port = try await ServicePeer.hostile("peer.accept()") { $0.port }
        let client = try TunnelClient()
        #expect(await !client.connectAhead(to: .init(address: "wss://127.0.0.1:\(port)")))
        #expect(await client.connectAhead(to: .init(address: "ws://192.0.2.1")))
    }
}
