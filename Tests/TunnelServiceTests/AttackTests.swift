import Foundation
import NIOSSL
import Testing

@testable import TunnelService

/// The effect on other users while attackers take all that they get.
@Suite("An attack", .serialized)
struct AttackTests {
    static let ceremonyCount = 60
    private static let ceremoniesAtATime = 4
    /// The victims' ceremonies run while the attackers have had this many of their connections taken up, refused or
    /// closed.
    private static let attackersAtTheStart = 1_400

    /// Limits whose ratios are those of the defaults, for a service of a sixteenth of the size: the sockets of both
    /// sides are this process's.
    static var limits: TunnelService.Limits {
        var limits = TunnelService.Limits()
        limits.connections = 1_024
        limits.pendingTunnels = 1_024
        limits.connectionsPerAddress = 16
        limits.connectionsPerPrefix = 32
        // These are for a machine that is busy with other tests.
        limits.requestTime = .seconds(60)
        limits.closeTime = .seconds(60)
        limits.pingInterval = .seconds(60)
        limits.silence = .seconds(120)
        return limits
    }

    /// The peers of an attack.
    enum Attack: CaseIterable, CustomTestStringConvertible {
        /// Waiting tunnels, idle connections and half requests from many addresses of 16 networks.
        case networks
        /// The same from one client, whose connections come through the victims' proxy.
        case oneClient

        var testDescription: String {
            switch self {
            case .networks: "by 16 networks"
            case .oneClient: "by one client behind the victims' proxy"
            }
        }

        /// The address of an attacker's connection.
        func address(_ number: Int) -> String {
            switch self {
            case .networks: number % 2 == 0 ? "10.0.\(number / 2 % 8).\(number / 16 % 250)" : ipv6(number)
            case .oneClient: "10.9.9.9"
            }
        }

        private func ipv6(_ number: Int) -> String {
            "2001:db8:\(number / 2 % 8):\(String(number / 16, radix: 16))::1"
        }
    }

    @Test("stops no ceremony", arguments: Attack.allCases)
    func ceremoniesGoOn(_ attack: Attack) async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        // For the attackers' sockets; the service raises the limit for its own.
        _ = OpenFiles.clamp(connections: 4 * Self.limits.connections)
        try await withService(
            security: .plainBehindProxy, limits: Self.limits, trustedProxies: proxies
        ) { service in
            let before = try await Self.ceremonies(service, from: 0)
            let attackers = Attackers(attack, service.port)
            try await until { attackers.count >= Self.attackersAtTheStart }
            let memory = try Self.residentMiB()
            let during = try await Self.ceremonies(service, from: Self.ceremonyCount)
            print(
                "attack \(attack.testDescription): \(attackers.count) connections tried, \(service.connectionCount) open, "
                    + "\(service.pendingTunnelCount) tunnels wait, the process has \(memory) MiB; a ceremony: before "
                    + "\(Self.summary(before)), during \(Self.summary(during))")
            await attackers.end()
        }
    }

    /// The times of ceremonies, all of which must succeed: a tunnel is opened, joined, and carries messages both ways.
    static func ceremonies(
        _ service: RunningTunnelService, from first: Int, count: Int = ceremonyCount, tls: NIOSSLContext? = nil
    ) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: Duration.self) { group in
            var times: [Duration] = []
            for number in first..<(first + count) {
                if number >= first + ceremoniesAtATime, let time = try await group.next() { times.append(time) }
                group.addTask { try await ceremony(number, service, tls) }
            }
            for try await time in group { times.append(time) }
            return times
        }
    }

    private static func ceremony(
        _ number: Int, _ service: RunningTunnelService, _ tls: NIOSSLContext?
    ) async throws -> Duration {
        let start = ContinuousClock.now
        let digits = String(number, radix: 16)
        let id = String(repeating: "f", count: 32 - digits.count) + digits
        // Each has its own address, and all are of one network, as those of a mobile operator are.
        let authenticator = try await RawPeer.connect(service.port, onBehalfOf: "192.0.2.\(number % 250 + 1)")
        if let tls { try await authenticator.startTLS(tls) }
        try #require(try await authenticator.shake(.new(id)).status == 101)
        let client = try await RawPeer.connect(service.port, onBehalfOf: "198.51.100.\(number % 250 + 1)")
        if let tls { try await client.startTLS(tls) }
        try #require(try await client.shake(.connect(id)).status == 101)
        for byte in 0..<4 as Range<UInt8> {
            try await client.send(WireFrame(payload: [UInt8](repeating: byte, count: 1_000)))
            #expect(try await authenticator.message().count == 1_000)
            try await authenticator.send(WireFrame(payload: [UInt8](repeating: byte, count: 1_000)))
            #expect(try await client.message().count == 1_000)
        }
        let time = ContinuousClock.now - start
        await client.close()
        await authenticator.close()
        return time
    }

    static func summary(_ times: [Duration]) -> String {
        let sorted = times.sorted().map { $0 / .milliseconds(1) }
        func part(_ percent: Int) -> String {
            String(format: "%.1f", sorted[min(sorted.count - 1, sorted.count * percent / 100)])
        }
        return "\(sorted.count), p50 \(part(50)) ms, p99 \(part(99)) ms"
    }

    private static func residentMiB() throws -> Int {
        let statm = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/statm")), as: UTF8.self)
        let pages = try #require(statm.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return (pages * 4_096) >> 20
    }
}

/// Peers that open connections all the time and keep them, so many at a time.
private final class Attackers: Sendable {
    private static let lineCount = 8
    /// In all more than the service has connections.
    private static let heldPerLine = 160
    /// So that it is the service that is short of connections, and not the machine that is short of processors.
    private static let pause = Duration.milliseconds(10)

    private let tried = Counter()
    private let task: Task<Void, Never>

    init(_ attack: AttackTests.Attack, _ port: Int) {
        let tried = tried
        task = Task {
            await withTaskGroup(of: Void.self) { group in
                for line in 0..<Self.lineCount {
                    group.addTask { await Self.attack(attack, port, line, tried) }
                }
            }
        }
    }

    /// The number of connections that they have tried to have.
    var count: Int { tried.count }

    func end() async {
        task.cancel()
        await task.value
    }

    private static func attack(_ attack: AttackTests.Attack, _ port: Int, _ line: Int, _ tried: Counter) async {
        var held: [RawPeer] = []
        var number = line
        while !Task.isCancelled {
            if let peer = try? await RawPeer.connect(port, onBehalfOf: attack.address(number)) {
                switch number / lineCount % 4 {
                case 0: break
                case 1: try? await peer.send("GET /cable/new/")
                default:
                    let digits = String(number, radix: 16)
                    let id = String(repeating: "a", count: 32 - digits.count) + digits
                    try? await peer.send(Handshake.new(id).text)
                }
                held.append(peer)
            }
            tried.add(1)
            try? await Task.sleep(for: pause)
            number += lineCount
            if held.count > heldPerLine { await held.removeFirst().close() }
        }
        for peer in held { await peer.close() }
    }
}
