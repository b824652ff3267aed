import Logging
import NIOSSL
import TestPeers
import Testing

@testable import TunnelService

@Suite("A flood")
struct FloodTests {
    /// A way to cost much with few bytes.
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case pings, pongs, emptyFragments, tinyFragments

        var testDescription: String {
            switch self {
            case .pings: "of empty pings"
            case .pongs: "of empty pongs"
            case .emptyFragments: "of empty fragments"
            case .tinyFragments: "of fragments of a byte"
            }
        }

        /// The frames, without an end to their message.
        func frames(_ count: Int) -> [WireFrame] {
            switch self {
            case .pings: Array(repeating: WireFrame(opcode: WireFrame.ping), count: count)
            case .pongs: Array(repeating: WireFrame(opcode: WireFrame.pong), count: count)
            case .emptyFragments: fragments(count, [])
            case .tinyFragments: fragments(count, [1])
            }
        }

        private func fragments(_ count: Int, _ payload: [UInt8]) -> [WireFrame] {
            (0..<count).map { number in
                WireFrame(
                    fin: false, opcode: number == 0 ? WireFrame.binary : WireFrame.continuation, payload: payload)
            }
        }
    }

    private static let few = 40
    private static let once = TunnelService.Rate(burst: few, interval: .seconds(3_600))

    private func limits(_ change: (inout TunnelService.Limits) -> Void) -> TunnelService.Limits {
        var limits = TunnelService.Limits.generous
        change(&limits)
        return limits
    }

    @Test(
        "may have as many frames as the rate allows, and with one more ends the tunnel with 1008",
        arguments: Kind.allCases, [false, true])
    func framesAreCounted(_ kind: Kind, isWaiting: Bool) async throws {
        try await withService(limits: limits { $0.tunnelFrames = Self.once }) { service in
            let authenticator = try await service.authenticator()
            let client = isWaiting ? nil : try await service.client()
            try await authenticator.send(kind.frames(Self.few).flatMap(\.bytes))
            // They have been taken when the service says so: it answers the ping that is the last of them.
            if kind == .pings { #expect(try await authenticator.frame().opcode == WireFrame.pong) }
            #expect(!authenticator.isClosed)
            try await authenticator.send(WireFrame(opcode: WireFrame.pong))
            var last = try await authenticator.frame()
            while last.opcode == WireFrame.pong { last = try await authenticator.frame() }
            #expect(last == WireFrame(opcode: WireFrame.closeFrame, payload: [0x03, 0xF0], isMasked: false))
            #expect(try await authenticator.takeToEnd().isEmpty)
            if let client { #expect(try await client.closeCode() == 1001) }
            await client?.close()
            await authenticator.close()
        }
    }

    @Test("counts each end by itself, whole messages too, and allows as many again in time")
    func rate() async throws {
        let rate = TunnelService.Rate(burst: 4, interval: .milliseconds(20))
        try await withService(limits: limits { $0.tunnelFrames = rate }) { service in
            let (authenticator, client) = try await service.pair()
            for round in 0..<3 as Range<UInt8> {
                if round > 0 { try await Task.sleep(for: .milliseconds(100)) }
                for number in 0..<4 as Range<UInt8> {
                    try await client.send(WireFrame(payload: [round, number]))
                    #expect(try await authenticator.message() == [round, number])
                    try await authenticator.send(WireFrame(payload: [number, round]))
                    #expect(try await client.message() == [number, round])
                }
            }
            try await client.send([UInt8](repeating: 0, count: 100).flatMap { WireFrame(payload: [$0]).bytes })
            var last = try await authenticator.frame()
            while last.opcode == WireFrame.binary { last = try await authenticator.frame() }
            #expect(last.payload == [0x03, 0xE9])
            #expect(try await client.closeCode() == 1008)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("of pings that come together is answered with one pong, to the latest")
    func latestPing() async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            let pings = (1...FramePortions.largest).map { WireFrame(opcode: WireFrame.ping, payload: [UInt8($0)]) }
            try await authenticator.send(pings.flatMap(\.bytes))
            var pongs = [try await authenticator.frame().payload]
            while pongs.last != pings.last?.payload { pongs.append(try await authenticator.frame().payload) }
            // They may have come in two packets.
            #expect(pongs.count <= 2)
            await authenticator.close()
        }
    }

    @Test("of fragments is bounded in each message by itself")
    func fragmentsOfAMessage() async throws {
        try await withService(limits: limits { $0.fragmentsPerMessage = 4 }) { service in
            let (authenticator, client) = try await service.pair()
            for _ in 0..<3 {
                for frame in Kind.tinyFragments.frames(3) { try await client.send(frame) }
                try await client.send(WireFrame(opcode: WireFrame.ping))
                try await client.send(WireFrame(opcode: WireFrame.continuation, payload: [1]))
                #expect(try await authenticator.message() == [1, 1, 1, 1])
            }
            for frame in Kind.tinyFragments.frames(5) { try await client.send(frame) }
            var last = try await client.frame()
            while last.opcode == WireFrame.pong { last = try await client.frame() }
            #expect(last.payload == [0x03, 0xF0])
            #expect(try await authenticator.closeCode() == 1001)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("is what neither a hundred updates nor a message of 1 MiB in fragments of 16 KiB are, over TLS too")
    func manyMessages() async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext()
            try await withService(security: .tls(certificate.identity)) { service in
                let authenticator = try await RawPeer.connect(service.port, tls: context)
                try #require(try await authenticator.shake(.new()).status == 101)
                let client = try await RawPeer.connect(service.port, tls: context)
                try #require(try await client.shake(.connect()).status == 101)
                // As peers do that send the head and the payload apart.
                let updates = (0..<100 as Range<UInt8>).map { WireFrame(payload: [UInt8](repeating: $0, count: 48)) }
                try await authenticator.send(records: updates.flatMap { [$0.bytes.prefix(6), $0.bytes.dropFirst(6)] })
                for update in updates { #expect(try await client.message() == update.payload) }
                let part = [UInt8](repeating: 0xAB, count: 16 << 10)
                let parts = (0..<64).map { number in
                    WireFrame(
                        fin: number == 63, opcode: number == 0 ? WireFrame.binary : WireFrame.continuation,
                        payload: part)
                }
                for part in parts { try await client.send(part) }
                #expect(try await authenticator.message().count == 1 << 20)
                await client.close()
                await authenticator.close()
            }
        }
    }

    @Test("of TLS records of a byte ends the connection: in a tunnel with 1008, before that without an answer")
    func records() async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext()
            let limits = limits { $0.shortRecords = Self.once }
            try await withService(security: .tls(certificate.identity), limits: limits) { service in
                let authenticator = try await RawPeer.connect(service.port, tls: context)
                try #require(try await authenticator.shake(.new()).status == 101)
                let client = try await RawPeer.connect(service.port, tls: context)
                try #require(try await client.shake(.connect()).status == 101)
                let message = WireFrame(payload: [UInt8](repeating: 7, count: 1_000))
                try await client.send(records: message.bytes.map { [$0] })
                #expect(try await client.closeCode() == 1008)
                #expect(try await authenticator.closeCode() == 1001)
                let foreign = try await RawPeer.connect(service.port, tls: context)
                try? await foreign.send(records: Handshake.new().text.utf8.map { [$0] })
                #expect(try await foreign.takeToEnd().isEmpty)
                for peer in [client, authenticator, foreign] { await peer.close() }
            }
        }
    }

    @Test("is what a request that comes in records of a byte is not")
    func requestInRecords() async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext()
            try await withService(security: .tls(certificate.identity)) { service in
                let authenticator = try await RawPeer.connect(service.port, tls: context)
                try await authenticator.send(records: Handshake.new().text.utf8.map { [$0] })
                #expect(try await authenticator.answerHead().status == 101)
                await authenticator.close()
            }
        }
    }

    @Test("at an authenticator that waits to be woken is closed with 4429, its pings answered with one pong a read")
    func listener() async throws {
        let limits = limits { $0.listenerFrames = .init(burst: 80, interval: .seconds(3_600)) }
        try await withContactService(limits: limits) { service in
            let peer = try await ContactPeer.listening(service.port)
            let pings = (1...20).map { WireFrame(opcode: WireFrame.ping, payload: [UInt8($0)]) }
            try await peer.peer.send(pings.flatMap(\.bytes))
            var pongs = [try await peer.peer.frame().payload]
            while pongs.last != [20] { pongs.append(try await peer.peer.frame().payload) }
            #expect(pongs.count <= 2)
            try await peer.peer.send(Kind.pongs.frames(80).flatMap(\.bytes))
            #expect(try await peer.peer.closeCode() == 4429)
            await peer.close()
        }
    }

    @Test("counts as a limit in the metrics")
    func metrics() async throws {
        try await withService(limits: limits { $0.tunnelFrames = Self.once }, admin: .tcp(host: "127.0.0.1", port: 0)) {
            service in
            let authenticator = try await service.authenticator()
            try await authenticator.send(Kind.pongs.frames(Self.few + 1).flatMap(\.bytes))
            #expect(try await authenticator.closeCode() == 1008)
            let admin = try await RawPeer.connect(try #require(service.adminPort))
            try await admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try await admin.lastAnswer().body.contains(#"tunnels_closed_total{reason="limit"} 1"#))
            await admin.close()
            await authenticator.close()
        }
    }
}
