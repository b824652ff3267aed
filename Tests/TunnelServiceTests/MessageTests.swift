import TestPeers
import Testing

@testable import TunnelService

@Suite("Messages in a tunnel (HT-TUN-47)")
struct MessageTests {
    @Test("pass both ways, whole, in order and unchanged", arguments: [1, 125, 126, 65_535, 65_536, 1 << 20])
    func bothWays(byteCount: Int) async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            for round in 0..<3 {
                let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ round) }
                try await client.send(WireFrame(payload: message))
                #expect(try await authenticator.message() == message)
                try await authenticator.send(WireFrame(payload: message.reversed()))
                #expect(try await client.message() == message.reversed())
            }
            await client.close()
            await authenticator.close()
        }
    }

    @Test("that are fragmented are rejoined, with control frames between the fragments")
    func fragmentsAreRejoined() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            try await client.send(WireFrame(fin: false, payload: [1, 2]))
            try await client.send(WireFrame(fin: false, opcode: WireFrame.continuation, payload: []))
            try await client.send(WireFrame(opcode: WireFrame.ping, payload: [9]))
            try await client.send(WireFrame(fin: false, opcode: WireFrame.continuation, payload: [3]))
            try await client.send(WireFrame(opcode: WireFrame.pong, payload: []))
            try await client.send(WireFrame(opcode: WireFrame.continuation, payload: [4, 5]))
            #expect(try await authenticator.message() == [1, 2, 3, 4, 5])
            #expect(try await client.frame() == WireFrame(opcode: WireFrame.pong, payload: [9], isMasked: false))
            await client.close()
            await authenticator.close()
        }
    }

    @Test("of 1 MiB in a thousand fragments are rejoined")
    func manyFragments() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let part = [UInt8](repeating: 0xAB, count: 1_024)
            try await client.send(WireFrame(fin: false, payload: part))
            for _ in 0..<1_022 {
                try await client.send(WireFrame(fin: false, opcode: WireFrame.continuation, payload: part))
            }
            try await client.send(WireFrame(opcode: WireFrame.continuation, payload: part))
            #expect(try await authenticator.message() == [UInt8](repeating: 0xAB, count: 1 << 20))
            await client.close()
            await authenticator.close()
        }
    }

    @Test("that the authenticator sends before its client is there are held, and delivered in order")
    func earlyMessages() async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            let early = (0..<200).map { [UInt8](repeating: UInt8($0), count: 1_000) }
            let sending = Task {
                for message in early { try await authenticator.send(WireFrame(payload: message)) }
            }
            try await until { service.bufferedByteCount > 0 }
            let client = try await service.client()
            for message in early { #expect(try await client.message() == message) }
            try await sending.value
            await client.close()
            await authenticator.close()
        }
    }

    @Test("that come in one write with the request arrive behind its answer, in order, both ways")
    func withTheRequest() async throws {
        try await withService { service in
            let messages = (1...3 as ClosedRange<UInt8>).map { WireFrame(payload: [$0]) }
            let authenticator = try await RawPeer.connect(service.port)
            try await authenticator.send(Array(Handshake.new().text.utf8) + messages.flatMap(\.bytes))
            try await until { service.pendingTunnelCount == 1 }
            let client = try await RawPeer.connect(service.port)
            try await client.send(Array(Handshake.connect().text.utf8) + messages.flatMap(\.bytes))
            for peer in [authenticator, client] {
                #expect(try await peer.answerHead().status == 101)
                for message in messages { #expect(try await peer.message() == message.payload) }
            }
            await client.close()
            await authenticator.close()
        }
    }

    @Test("that come one byte at a time arrive as a whole")
    func byteByByte() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            for byte in WireFrame(payload: Array(0..<150)).bytes {
                try await client.send([byte])
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(try await authenticator.message() == Array(0..<150))
            await client.close()
            await authenticator.close()
        }
    }

    @Test("and pings are answered by the service itself, with their payload", arguments: [0, 1, 125])
    func ping(byteCount: Int) async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            let payload = [UInt8](repeating: 0x55, count: byteCount)
            try await authenticator.send(WireFrame(opcode: WireFrame.ping, payload: payload))
            #expect(
                try await authenticator.frame() == WireFrame(opcode: WireFrame.pong, payload: payload, isMasked: false)
            )
            await authenticator.close()
        }
    }

    struct Violation: Sendable, CustomTestStringConvertible {
        let name: String
        let code: Int
        let frames: [WireFrame]
        var testDescription: String { "\(code): \(name)" }

        init(_ code: Int, _ name: String, _ frames: WireFrame...) {
            self.code = code
            self.name = name
            self.frames = frames
        }
    }

    static let forbidden: [Violation] = [
        Violation(1003, "a text message", WireFrame(opcode: WireFrame.text, payload: [0x61])),
        Violation(1003, "an empty text message", WireFrame(opcode: WireFrame.text)),
        Violation(1002, "an empty message", WireFrame(payload: [])),
        Violation(
            1002, "an empty message in two fragments", WireFrame(fin: false, payload: []),
            WireFrame(opcode: WireFrame.continuation)
        ),
        Violation(1002, "an unmasked frame", WireFrame(payload: [1], isMasked: false)),
        Violation(1002, "an unmasked ping", WireFrame(opcode: WireFrame.ping, isMasked: false)),
        Violation(1002, "reserved bit 1, as permessage-deflate has it", WireFrame(reserved: 4, payload: [1])),
        Violation(1002, "reserved bit 2", WireFrame(reserved: 2, payload: [1])),
        Violation(1002, "reserved bit 3", WireFrame(reserved: 1, payload: [1])),
        Violation(1002, "reserved opcode 3", WireFrame(opcode: 3, payload: [1])),
        Violation(1002, "reserved opcode 7", WireFrame(opcode: 7, payload: [1])),
        Violation(1002, "reserved control opcode 11", WireFrame(opcode: 11)),
        Violation(1002, "reserved control opcode 15", WireFrame(opcode: 15)),
        Violation(1002, "a continuation of nothing", WireFrame(opcode: WireFrame.continuation, payload: [1])),
        Violation(1002, "a message within a message", WireFrame(fin: false, payload: [1]), WireFrame(payload: [2])),
        Violation(1002, "a fragmented ping", WireFrame(fin: false, opcode: WireFrame.ping)),
        Violation(
            1002, "a ping of 126 bytes", WireFrame(opcode: WireFrame.ping, payload: [UInt8](repeating: 0, count: 126))
        ),
        Violation(1009, "a message of 1 MiB and a byte", WireFrame(payload: [UInt8](repeating: 1, count: 1 << 20 + 1))),
        Violation(
            1009, "fragments of 1 MiB and a byte together",
            WireFrame(fin: false, payload: [UInt8](repeating: 1, count: 1 << 20)),
            WireFrame(opcode: WireFrame.continuation, payload: [1])
        ),
        Violation(1002, "a Close with half a code", WireFrame(opcode: WireFrame.closeFrame, payload: [3])),
        Violation(1002, "a Close with 1005", .close(1005)),
        Violation(1002, "a Close with 1006", .close(1006)),
        Violation(1002, "a Close with 1015", .close(1015)),
        Violation(1002, "a Close with 999", .close(999)),
        Violation(1002, "a Close with 5000", .close(5000)),
        Violation(
            1007, "a Close whose reason is not UTF-8",
            WireFrame(opcode: WireFrame.closeFrame, payload: [0x03, 0xE8, 0xC3, 0x28])
        ),
    ]

    @Test(
        "that break the rules close their sender with the fitting code, and the other end with 1001",
        arguments: forbidden, [true, false])
    func violations(_ violation: Violation, byClient: Bool) async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let (bad, good) = byClient ? (client, authenticator) : (authenticator, client)
            try await bad.send(violation.frames.flatMap(\.bytes))
            #expect(try await bad.closeCode() == violation.code)
            #expect(try await bad.takeToEnd().isEmpty)
            #expect(try await good.closeCode() == 1001)
            await bad.close()
            await good.close()
        }
    }

    @Test("that break the rules close a waiting authenticator too")
    func violationWhileWaiting() async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            try await authenticator.send(WireFrame(opcode: WireFrame.text, payload: [0x61]))
            #expect(try await authenticator.closeCode() == 1003)
            try await until { service.pendingTunnelCount == 0 }
            await authenticator.close()
        }
    }

    @Test("whose length claims 2^63 bytes close with 1009 and take no memory")
    func absurdLength() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let before = try ResidentMemory.ofThisProcess()
            try await client.send([0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 1, 2, 3])
            #expect(try await client.closeCode() == 1009)
            #expect(try ResidentMemory.ofThisProcess() - before < 32 << 20)
            await client.close()
            await authenticator.close()
        }
    }
}
