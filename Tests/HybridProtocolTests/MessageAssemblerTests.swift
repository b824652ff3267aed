import Cryptography
import HybridProtocol
import Testing

/// Messages on L2CAP (HT-BLE-17 to HT-BLE-27); Vectors/l2cap.json has the single cases.
@Suite("Messages in pieces")
struct MessageAssemblerTests {
    static let key = [UInt8](repeating: 7, count: 32)

    /// Takes pieces in, and opens whole messages.
    struct Reader: ~Copyable {
        var assembler = MessageAssembler(piecesAreMessages: false)
        var opener: FrameOpener

        init() throws {
            let opener = try FrameOpener(key: MessageAssemblerTests.key.span)
            self.opener = opener
        }

        mutating func read(_ piece: [UInt8]) throws -> [[UInt8]] {
            try assembler.append(piece)
            var messages: [[UInt8]] = []
            while let message = try assembler.next({ (bytes, _) throws(HybridProtocolError) in
                try opener.openIfFrame(bytes)
            }) {
                messages.append(message)
            }
            return messages
        }
    }

    @Test("arrive in order and unaltered, however they end and wherever they are cut", arguments: 0..<200)
    func anyCut(seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        var sealer = try FrameSealer(key: Self.key.span)
        var reader = try Reader()
        var sent: [[UInt8]] = []
        var received: [[UInt8]] = []
        let longestPiece = Int.random(in: 1...2_000, using: &generator)
        for _ in 0..<20 {
            let message = randomBytes(count: .random(in: 1...1_500, using: &generator))
            sent.append(message)
            var frame = try sealer.seal(message)
            if Bool.random(using: &generator) { frame += MessageAssembler.terminator }
            while !frame.isEmpty {
                let piece = Array(frame.prefix(.random(in: 1...longestPiece, using: &generator)))
                frame.removeFirst(piece.count)
                received += try reader.read(piece)
            }
        }
        #expect(received == sent)
        #expect(reader.assembler.isBetweenMessages)
    }

    @Test("are found in a stream without pieces by their terminators", arguments: 0..<50)
    func stream(seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        var sealer = try FrameSealer(key: Self.key.span)
        var opener = try FrameOpener(key: Self.key.span)
        var assembler = MessageAssembler(piecesAreMessages: false)
        var sent: [[UInt8]] = []
        for _ in 0..<20 {
            let message = randomBytes(count: .random(in: 1...5_000, using: &generator))
            sent.append(message)
            let frame = try sealer.seal(message)
            try assembler.append(MessageAssembler.terminated(frame), mayEnd: false)
        }
        for message in sent {
            let found = try assembler.next { (bytes, _) throws(HybridProtocolError) in try opener.openIfFrame(bytes) }
            #expect(found == message)
        }
    }

    @Test("are refused when they have no end: 10 MB are never held")
    func endless() throws {
        var reader = try Reader()
        let piece = randomBytes(count: 16_384)
        var taken = 0
        var code: HybridProtocolError.Code?
        do {
            while taken < 10 << 20 {
                let found = try reader.read(piece)
                #expect(found.isEmpty)
                taken += piece.count
            }
        } catch let error as HybridProtocolError {
            code = error.code
        }
        #expect(code == .tooLong || code == .noEnd)
        #expect(taken <= MessageAssembler.longestWait)
    }

    @Test("cost a bounded effort, whatever is sent", arguments: [[0x0d, 0x0a], [0]] as [[UInt8]])
    func boundedEffort(piece: [UInt8]) throws {
        var assembler = MessageAssembler(piecesAreMessages: false)
        var triedByteCount = 0
        var error: HybridProtocolError?
        while error == nil {
            do throws(HybridProtocolError) {
                try assembler.append(piece)
                let found = try assembler.next { (bytes, _) -> Int? in
                    triedByteCount += bytes.count
                    return nil
                }
                #expect(found == nil)
            } catch let refusal {
                error = refusal
            }
        }
        #expect(error?.code == .noEnd)
        #expect(triedByteCount <= MessageAssembler.longestTrial + MessageAssembler.longestWait)
    }

    @Test("of 1 MiB arrive in pieces of 23 bytes, the fewest that a peer may take", arguments: [23, 247])
    func longest(pieceByteCount: Int) throws {
        var sealer = try FrameSealer(key: Self.key.span)
        var reader = try Reader()
        let message = [UInt8](repeating: 1, count: 100_000)
        let frame = try sealer.seal(message)
        let sent = MessageAssembler.terminated(frame)
        var received: [[UInt8]] = []
        for start in stride(from: 0, to: sent.count, by: pieceByteCount) {
            received += try reader.read(Array(sent[start..<min(start + pieceByteCount, sent.count)]))
        }
        #expect(received == [message])
    }

    @Test("are the pieces themselves on a channel that keeps them whole, and then one that does not open is an error")
    func whole() throws {
        var assembler = MessageAssembler(piecesAreMessages: true)
        try assembler.append([1, 2])
        try assembler.append([3, 0x0d, 0x0a])
        #expect(assembler.nextHandshakeMessage() == [1, 2])
        let error = HybridProtocolError(.badTag, reason: "")
        #expect(throws: error) {
            try assembler.next { (bytes, isWhole) throws(HybridProtocolError) -> Int? in
                #expect(isWhole)
                #expect(bytes == [3, 0x0d, 0x0a])
                throw error
            }
        }
        #expect(assembler.isBetweenMessages)
    }
}

/// Reproducible random numbers (SplitMix64).
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}
