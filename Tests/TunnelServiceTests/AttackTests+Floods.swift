import NIOSSL
import Testing

@testable import TunnelService

extension AttackTests {
    /// A way in which attackers cost much with few bytes.
    enum Flood: CaseIterable, CustomTestStringConvertible {
        case pings, pongs, emptyFragments, tinyFragments, tlsRecords

        var testDescription: String {
            switch self {
            case .pings: "of empty pings"
            case .pongs: "of empty pongs"
            case .emptyFragments: "of empty fragments"
            case .tinyFragments: "of fragments of a byte"
            case .tlsRecords: "of TLS records of a byte"
            }
        }

        /// The beginning of a message, and the flood: so many frames, or bytes that are records of their own.
        ///
        /// - Parameter byteCount: the length of the beginning, without its head.
        func pieces(_ count: Int, after byteCount: Int) -> (first: [UInt8], rest: [[UInt8]]) {
            let payload = [UInt8](repeating: 1, count: byteCount)
            let frame: WireFrame
            switch self {
            case .pings: frame = WireFrame(opcode: WireFrame.ping)
            case .pongs: frame = WireFrame(opcode: WireFrame.pong)
            case .emptyFragments: frame = WireFrame(fin: false, opcode: WireFrame.continuation)
            case .tinyFragments: frame = WireFrame(fin: false, opcode: WireFrame.continuation, payload: [1])
            case .tlsRecords:
                let bytes = WireFrame(payload: payload + [UInt8](repeating: 1, count: count)).bytes
                return (Array(bytes.dropLast(count)), bytes.suffix(count).map { [$0] })
            }
            let frames = [[UInt8]](repeating: frame.bytes, count: count).joined()
            return (WireFrame(fin: false, payload: payload).bytes, [Array(frames)])
        }
    }

    @Test(
        "that floods tunnels stops no ceremony, and each of its tunnels is closed with 1008", arguments: Flood.allCases)
    func floods(_ flood: Flood) async throws {
        guard flood == .tlsRecords else { return try await floods(flood, .plainBehindProxy, tls: nil) }
        guard ForeignPeers.hasOpenSSL else { return }
        try await Certificate.with { certificate in
            try await floods(flood, .tls(certificate.identity), tls: try certificate.clientContext())
        }
    }

    private func floods(_ flood: Flood, _ security: TunnelService.Security, tls: NIOSSLContext?) async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        var limits = Self.limits
        // The attackers' connections have no limit here: the test is of the actions of each.
        limits.connectionRate = .init(burst: 10_000, interval: .milliseconds(1))
        try await withService(security: security, limits: limits, trustedProxies: proxies) { service in
            let before = try await Self.ceremonies(service, from: 0, count: Flooders.victims, tls: tls)
            let flooders = Flooders(flood, service.port, tls)
            try await until { flooders.closedCount >= Flooders.count }
            let during = try await Self.ceremonies(
                service, from: Flooders.victims, count: Flooders.victims, tls: tls)
            print(
                "flood \(flood.testDescription): \(flooders.closedCount) connections closed with 1008; a ceremony: before "
                    + "\(Self.summary(before)), during \(Self.summary(during))")
            await flooders.end()
            #expect(flooders.otherEnds == 0)
        }
    }
}

/// Peers that each open a tunnel, flood it until it is closed, and begin anew.
private final class Flooders: Sendable {
    static let count = 16
    /// The ceremonies of others meanwhile.
    static let victims = 24
    private static let pause = Duration.milliseconds(100)
    private static let atATime = 32

    private let closed = Counter()
    private let other = Counter()
    private let task: Task<Void, Never>

    init(_ flood: AttackTests.Flood, _ port: Int, _ tls: NIOSSLContext?) {
        let (closed, other) = (closed, other)
        // Some more than is allowed at once.
        let (first, rest) = flood.pieces(TunnelService.Limits().tunnelFrames.burst * 2, after: 1)
        let pieces = [first] + rest
        task = Task {
            await withTaskGroup(of: Void.self) { group in
                for line in 0..<Self.count {
                    group.addTask {
                        var round = 0
                        while !Task.isCancelled {
                            if let isClosed = try? await Self.flood(pieces, line, round, port, tls) {
                                (isClosed ? closed : other).add(1)
                            }
                            try? await Task.sleep(for: Self.pause)
                            round += 1
                        }
                    }
                }
            }
        }
    }

    /// The number of connections that the service has closed with 1008.
    var closedCount: Int { closed.count }
    /// The number of those that ended in another way.
    var otherEnds: Int { other.count }

    func end() async {
        task.cancel()
        await task.value
    }

    /// Floods one tunnel.
    ///
    /// - Returns: true if it was closed with 1008; nil if it was not opened, as those from before are still closing.
    private static func flood(
        _ pieces: [[UInt8]], _ line: Int, _ round: Int, _ port: Int, _ tls: NIOSSLContext?
    ) async throws -> Bool? {
        let peer = try await RawPeer.connect(port, onBehalfOf: "10.0.\(line % 4).\(line + 1)")
        let digits = String(round * count + line, radix: 16)
        let id = String(repeating: "a", count: 32 - digits.count) + digits
        let last = try? await lastFrame(of: id, peer, pieces, tls)
        await peer.close()
        return last.map { $0 == WireFrame(opcode: WireFrame.closeFrame, payload: [0x03, 0xF0], isMasked: false) }
    }

    /// Sends pieces, few at a time: the service has its event loop from the same threads.
    private static func send(_ pieces: [[UInt8]], _ peer: RawPeer) async throws {
        for start in stride(from: 0, to: pieces.count, by: atATime) {
            try await peer.send(records: Array(pieces[start...].prefix(atATime)))
        }
    }

    private static func lastFrame(
        of tunnelID: String, _ peer: RawPeer, _ pieces: [[UInt8]], _ tls: NIOSSLContext?
    ) async throws -> WireFrame? {
        if let tls { try await peer.startTLS(tls) }
        guard try await peer.shake(.new(tunnelID)).status == 101 else { return nil }
        // The tunnel may end before everything is sent.
        async let sent: Void? = try? send(pieces, peer)
        var last = try await peer.frame()
        while last.opcode == WireFrame.pong { last = try await peer.frame() }
        await peer.close()
        _ = await sent
        return last
    }
}
