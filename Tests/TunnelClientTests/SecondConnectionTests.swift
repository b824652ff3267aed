import HybridProtocol
import Testing

@testable import TunnelClient

@Suite("A connection that is slow to come", .timeLimit(.minutes(2)))
struct SecondConnectionTests {
    /// With one that waits, the second is usually there first; with two the first, when TCP sends its packet again.
    @Test("is begun once more, and the one that is there first is used; the other is closed", arguments: [1, 2])
    func second(count: Int) async throws {
        try await ServicePeer.hostile(ServicePeer.busyListener(until: count)) { peer in
            let port = try await peer.portOfFullListener()
            let channel = try await TunnelClient().open("ws://127.0.0.1:\(port)/").channel
            await channel.close()
            let lines = await peer.lines(through: "gone")
            #expect(lines.contains("waiting"))
            #expect(lines.count { $0.hasPrefix("request ") } == 1)
        }
    }
}
