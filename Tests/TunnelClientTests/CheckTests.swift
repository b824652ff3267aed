import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("A look at a tunnel service", .timeLimit(.minutes(2)))
struct CheckTests {
    private static let limit = Duration.seconds(30)

    @Test("is content with anything that answers, and says nothing to it")
    func answers() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            try await TunnelClient().check(.init(address: "ws://127.0.0.1:\(peer.port)"), within: Self.limit)
            #expect(await peer.lines(through: "end") == ["accepted", "end"])
        }
    }

    @Test("tells that nothing answers, or that there is no such name")
    func nobody() async throws {
        let port = try await ServicePeer.hostile("peer.accept()") { $0.port }
        let refused = await failure {
            try await TunnelClient().check(.init(address: "wss://127.0.0.1:\(port)"), within: Self.limit)
        }
        #expect(refused?.code == .unreachable)
        #expect(refused?.reason.hasPrefix("nothing answers at 127.0.0.1:\(port)") == true)
        let unnamed = await failure {
            try await TunnelClient().check(.init(address: "wss://nowhere.invalid"), within: Self.limit)
        }
        #expect(unnamed?.code == .unreachable)
    }

    @Test("waits no longer than its limit, and takes silence for no answer")
    func silent() async throws {
        try await ServicePeer.hostile(ServicePeer.fullListener) { peer in
            let port = try await peer.portOfFullListener()
            try await TunnelClient().check(.init(address: "ws://127.0.0.1:\(port)"), within: .milliseconds(200))
        }
    }
}
