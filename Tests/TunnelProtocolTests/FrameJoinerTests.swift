import HybridProtocol
import Testing

@Suite("A tunnel's frames")
struct FrameJoinerTests {
    private typealias Joiner = FrameJoiner<[UInt8]>
    private static let binary: UInt8 = 2
    private static let continuation: UInt8 = 0

    private func frame(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, isMasked: Bool = true, reserved: Bool = false
    ) -> Joiner.Frame {
        Joiner.Frame(
            opcode: opcode, isFinal: isFinal, isMasked: isMasked, usesReservedBits: reserved, payload: payload)
    }

    /// The messages of some frames of a client's.
    private func messages(_ frames: [Joiner.Frame], limit: Int = 8) throws -> [[UInt8]] {
        var joiner = Joiner(of: .client, maximumByteCount: limit)
        return try frames.compactMap { frame -> [UInt8]? in
            if case .message(let message) = try joiner.join(frame) { message } else { nil }
        }
    }

    @Test("are joined to messages, with control frames between them")
    func joined() throws {
        let frames = [
            frame(Self.binary, [1]), frame(Self.binary, [2], isFinal: false), frame(9, [7]),
            frame(Self.continuation, [], isFinal: false), frame(10), frame(Self.continuation, [3, 4]),
            frame(Self.binary, [UInt8](repeating: 5, count: 8)),
        ]
        #expect(try messages(frames) == [[1], [2, 3, 4], [UInt8](repeating: 5, count: 8)])
    }

    @Test("count as held while their message is not whole")
    func held() throws {
        var joiner = Joiner(of: .client, maximumByteCount: 8)
        _ = try joiner.join(frame(Self.binary, [1, 2], isFinal: false))
        #expect(joiner.heldByteCount == 2)
        _ = try joiner.join(frame(Self.continuation, [3]))
        #expect(joiner.heldByteCount == 0)
    }

    @Test("are bounded in each message by itself")
    func fragments() throws {
        var joiner = Joiner(of: .client, maximumByteCount: 8, maximumFragmentCount: 2)
        let (begun, goesOn) = (frame(Self.binary, isFinal: false), frame(Self.continuation, isFinal: false))
        for _ in 0..<2 {
            _ = try joiner.join(begun)
            _ = try joiner.join(frame(9))
            _ = try joiner.join(frame(Self.continuation, [1]))
        }
        _ = try joiner.join(begun)
        _ = try joiner.join(goesOn)
        #expect(throws: FramingViolation.tooManyFragments) { try joiner.join(goesOn) }
    }

    @Test("are refused by the rule that they break")
    func violations() {
        let begun = frame(Self.binary, [1], isFinal: false)
        let wrong: [(FramingViolation, [Joiner.Frame])] = [
            (.reservedBits, [frame(Self.binary, [1], reserved: true)]), (.reservedOpcode, [frame(3)]),
            (.reservedOpcode, [frame(11)]), (.unmasked, [frame(Self.binary, [1], isMasked: false)]),
            (.interrupted, [begun, frame(Self.binary, [1])]), (.continuesNothing, [frame(Self.continuation, [1])]),
            (.text, [frame(1, [0x61])]), (.emptyMessage, [frame(Self.binary)]),
            (.tooLong, [frame(Self.binary, [UInt8](repeating: 1, count: 9))]),
            (.tooLong, [begun, frame(Self.continuation, [UInt8](repeating: 1, count: 8))]),
        ]
        for (violation, frames) in wrong {
            #expect(throws: violation) { try messages(frames) }
        }
        var ofServer = Joiner(of: .server, maximumByteCount: 8)
        #expect(throws: FramingViolation.masked) { try ofServer.join(frame(Self.binary, [1])) }
    }
}

@Suite("A Close frame's payload")
struct CloseCodeTests {
    @Test("is nothing, or a code with a reason in UTF-8")
    func good() throws {
        #expect(try CloseCode.read([]) == nil)
        #expect(try CloseCode.read([0x03, 0xE8]) == .normal)
        #expect(try CloseCode.read([0x11, 0x31, 0x61]) == .wrongProof)
    }

    @Test(
        "is refused with half a code, or one that must not be sent",
        arguments: [999, 1004, 1005, 1006, 1015, 2999, 5000])
    func bad(code: UInt16) {
        #expect(throws: FramingViolation.badClose) { try CloseCode.read([3]) }
        #expect(throws: FramingViolation.badClose) { try CloseCode.read([UInt8(code >> 8), UInt8(code & 0xFF)]) }
        #expect(throws: FramingViolation.badCloseText) { try CloseCode.read([0x03, 0xE8, 0xC3, 0x28]) }
    }
}
