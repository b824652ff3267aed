import Testing

@testable import TunnelService

extension AttackTests {
    /// The networks of attackers who take all connections with tunnels that have both ends.
    enum Neighbourhood: CaseIterable, CustomTestStringConvertible {
        case allocation, victims, everywhere

        var testDescription: String {
            switch self {
            case .allocation: "from the /48s of one IPv6 /32"
            case .victims: "from the IPv4 /16 that the victims share"
            case .everywhere: "from many IPv4 /16s, to victims who share one"
            }
        }

        func address(_ number: Int) -> String {
            switch self {
            case .allocation: "2a00:1:\(number):\(number)::1"
            case .victims: "192.0.\(number + 3).1"
            case .everywhere: "\(number + 11).1.0.1"
            }
        }
    }

    private struct Refused: Error {}

    @Test("with silent pairs stops no ceremony, nor one that is under way", arguments: Neighbourhood.allCases)
    func pairs(_ neighbourhood: Neighbourhood) async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        var limits = Self.limits
        limits.connections = 512
        limits.pendingTunnels = 512
        _ = OpenFiles.clamp(connections: 4 * limits.connections)
        try await withService(security: .plainBehindProxy, limits: limits, trustedProxies: proxies) { service in
            let early = try await Self.pair(0xEA, "192.0.2.251", "198.51.100.251", service)
            let other = try await Self.pair(0xEB, "192.0.2.252", "198.51.100.252", service)
            for pair in [early, other] { try await Self.speak(pair) }
            let attackers = try await withThrowingTaskGroup(of: [RawPeer].self) { group in
                for network in 0..<32 {
                    group.addTask {
                        var peers: [RawPeer] = []
                        for number in 0..<9 {
                            let address = neighbourhood.address(network)
                            // Those who came first may have gone by now.
                            if let pair = try? await Self.pair(network << 8 | number, address, address, service) {
                                peers += [pair.authenticator, pair.client]
                            }
                        }
                        return peers
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(service.connectionCount >= limits.connections)
            let during = try await Self.ceremonies(service, from: 0)
            print("pairs \(neighbourhood.testDescription): \(attackers.count) connections; \(Self.summary(during))")
            for pair in [early, other] { try await Self.speak(pair) }
            for peer in attackers + [early.authenticator, early.client, other.authenticator, other.client] {
                await peer.close()
            }
        }
    }

    @Test("with silent pairs, and connections that no proxy has named, has nobody dropped unheard")
    func unnamed() async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        var limits = Self.limits
        limits.connections = 128
        limits.pendingTunnels = 128
        let reserve = ConnectionCounter.reserve(limits.connections)
        try await withService(security: .plainBehindProxy, limits: limits, trustedProxies: proxies) { service in
            var attackers: [RawPeer] = []
            // They answer no Close frame: those that have to go stay for as long as they may.
            for number in 0..<limits.connections {
                let address = "198.18.\(number % 16).1"
                let pair = try await Self.pair(number, address, address, service)
                attackers += [pair.authenticator, pair.client]
                #expect(service.connectionCount <= limits.connections + reserve / 2 + 1)
            }
            for _ in 0..<(2 * reserve) { attackers.append(try await RawPeer.connect(service.port)) }
            #expect(service.connectionCount >= limits.connections)
            _ = try await Self.ceremonies(service, from: 0)
            for peer in attackers { await peer.close() }
        }
    }

    private static func pair(
        _ number: Int, _ opener: String, _ joiner: String, _ service: RunningTunnelService
    ) async throws -> (authenticator: RawPeer, client: RawPeer) {
        let digits = String(number, radix: 16)
        let id = String(repeating: "b", count: 32 - digits.count) + digits
        let authenticator = try await RawPeer.connect(service.port, onBehalfOf: opener)
        guard try await authenticator.shake(.new(id)).status == 101 else { throw Refused() }
        let client = try await RawPeer.connect(service.port, onBehalfOf: joiner)
        guard try await client.shake(.connect(id)).status == 101 else { throw Refused() }
        return (authenticator, client)
    }

    private static func speak(_ pair: (authenticator: RawPeer, client: RawPeer)) async throws {
        try await pair.client.send(WireFrame(payload: [1]))
        #expect(try await pair.authenticator.message() == [1])
        try await pair.authenticator.send(WireFrame(payload: [2]))
        #expect(try await pair.client.message() == [2])
    }
}
