import HybridProtocol
import Logging
import Metrics
import NIOCore
import NIOPosix
import Testing

@testable import TunnelService

@Suite("The registry of tunnels")
struct TunnelRegistryTests {
    private let one = AddressKey(try? SocketAddress(ipAddress: "192.0.2.1", port: 1))
    private let id = try? TunnelID(hex: Handshake.tunnelID)
    private let other = try? TunnelID(hex: "ffeeddccbbaa99887766554433221100")

    /// An end of no connection, which the registry only keeps.
    private func end() async throws -> TunnelEnd {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        return try await eventLoop.submit {
            let relay = Relay(
                configuration: .init(security: .plain), tls: nil, eventLoop: eventLoop,
                logger: Logger(label: "test"), metrics: NOOPMetricsHandler.instance
            )
            let connection = ConnectionHandler(relay: relay, address: nil)
            return TunnelEnd(RelayHandler(relay: relay, connection: connection), eventLoop: eventLoop)
        }.get()
    }

    @Test("frees an ID for the one who holds it, and not for one who held it before")
    func oldReservation() async throws {
        let registry = TunnelRegistry(pendingLimitPerAddress: 10)
        let id = try #require(id)
        let end = try await end()
        let old = try registry.open(id, opener: end, from: one)
        #expect(throws: HTTPRefusal.tunnelInUse) { try registry.open(id, opener: end, from: one) }
        registry.close(old)
        let new = try registry.open(id, opener: end, from: one)
        registry.close(old)
        #expect(registry.pendingCount == 1)
        #expect(new.number > old.number)
        registry.close(new)
        #expect(registry.pendingCount == 0)
        #expect(throws: HTTPRefusal.unknownTunnel) { try registry.join(id) }
    }

    @Test("counts waiting tunnels and those with both ends")
    func counts() async throws {
        let registry = TunnelRegistry(pendingLimitPerAddress: 1)
        let id = try #require(id)
        let other = try #require(other)
        let first = try registry.open(id, opener: try await end(), from: one)
        let end = try await end()
        #expect(throws: HTTPRefusal.tooManyTunnels) { try registry.open(other, opener: end, from: one) }
        #expect(try registry.join(id).number == first.number)
        #expect(throws: HTTPRefusal.tunnelInUse) { try registry.join(id) }
        #expect(registry.pendingCount == 0 && registry.pairedCount == 1)
        let second = try registry.open(other, opener: end, from: one)
        registry.close(first)
        #expect(registry.pendingCount == 1 && registry.pairedCount == 0)
        let noneWaits = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        registry.drain(noneWaits)
        #expect(throws: HTTPRefusal.draining) { try registry.open(id, opener: end, from: one) }
        #expect(try registry.join(other).number == second.number)
        try await noneWaits.futureResult.get()
        registry.close(second)
        #expect(registry.pendingCount == 0 && registry.pairedCount == 0)
    }
}
