import Cryptography
import HybridProtocol
import Testing

/// The frames of one direction (HT-FRM-10 to HT-FRM-21).
@Suite struct FrameTests {
    private static let key = [UInt8](0..<32)
    private static let lastCounter: UInt32 = (1 << 24) - 1
    private static let constructions: [TransportConstruction] = [.current, .old]

    @Test("Messages arrive in their order, whatever their length", arguments: constructions)
    func roundTrip(construction: TransportConstruction) throws {
        var sealer = try FrameSealer(key: Self.key.span, construction: construction)
        var opener = try FrameOpener(key: Self.key.span, construction: construction)
        for byteCount in [0, 1, 16, 31, 32, 33, 1024, 0, 70_000] {
            let message = [UInt8](repeating: 3, count: byteCount)
            let frame = try sealer.seal(message)
            #expect(frame.count == Padding.paddedByteCount(byteCount) + AES256GCM.tagByteCount)
            let opened = try opener.open(frame)
            #expect(opened == message)
        }
    }

    @Test("A message that is given up, and has the room, is sealed where it is", arguments: [0, 31, 32, 1024])
    func inPlace(byteCount: Int) throws {
        var sealer = try FrameSealer(key: Self.key.span)
        var message = [UInt8](repeating: 3, count: byteCount)
        message.reserveCapacity(Padding.paddedByteCount(byteCount) + AES256GCM.tagByteCount)
        let place = message.withUnsafeBufferPointer { $0.baseAddress }
        let frame = try sealer.seal(consume message)
        #expect(frame.withUnsafeBufferPointer { $0.baseAddress } == place)
    }

    @Test("A message that its caller keeps is left as it is")
    func kept() throws {
        var sealer = try FrameSealer(key: Self.key.span)
        let message = Self.message
        _ = try sealer.seal(message)
        #expect(message == Self.message)
    }

    /// A counter, and the nonces that it makes in the current and in the old construction.
    static let nonces: [(counter: UInt32, current: AES256GCM.Nonce, old: AES256GCM.Nonce)] = [
        (0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (1, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (0x1234, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34], [0x34, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (0xabcdef, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd, 0xef], [0xef, 0xcd, 0xab, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]

    @Test("The nonce ends with the counter, big-endian; in the old construction it begins with it, little-endian")
    func nonces() throws {
        for (counter, current, old) in Self.nonces {
            #expect(try seal(counter, .current) == cipher(nonce: current, authenticatedData: []))
            #expect(try seal(counter, .old) == cipher(nonce: old, authenticatedData: [2]))
        }
    }

    @Test("A message sealed whole, by its first byte and the rest, or padded before is the same frame")
    func threeWays() throws {
        let rest = Array(Self.message.dropFirst())
        var padded = Self.message
        Padding.pad(&padded)
        let frame = try seal(3, .current)
        var byParts = try FrameSealer(key: Self.key.span, startingAt: 3)
        #expect(try byParts.seal(Self.message.first, rest.span) == frame)
        var paddedBefore = try FrameSealer(key: Self.key.span, startingAt: 3)
        #expect(try paddedBefore.seal(padded: padded) == frame)
    }

    @Test("Neither construction opens the other's first frame, although their first nonces are the same")
    func otherConstruction() throws {
        #expect(try refusalToOpen(seal(0, .current), .old) == .badTag)
        #expect(try refusalToOpen(seal(0, .old), .current) == .badTag)
    }

    @Test("Every flipped bit and every truncation is refused, and the true frame opens afterwards")
    func changed() throws {
        let frame = try seal(0, .current)
        var opener = try FrameOpener(key: Self.key.span)
        let flips = frame.indices.flatMap { index in
            (0..<UInt8.bitWidth).map { bit in
                var flipped = frame
                flipped[index] ^= 1 << bit
                return flipped
            }
        }
        for changed in flips + [frame + [0]] { #expect(refusalToOpen(changed, &opener) == .badTag) }
        for byteCount in frame.indices {
            let isTooShort = byteCount < AES256GCM.tagByteCount
            #expect(refusalToOpen(Array(frame.prefix(byteCount)), &opener) == (isTooShort ? .tooShort : .badTag))
        }
        #expect(refusalToOpen(frame, &opener) == nil)
    }

    @Test("A replayed, an omitted and an overtaking frame are refused")
    func order() throws {
        let frames = try (0..<3).map { try seal($0, .current) }
        var opener = try FrameOpener(key: Self.key.span)
        #expect(refusalToOpen(frames[1], &opener) == .badTag)
        #expect(refusalToOpen(frames[0], &opener) == nil)
        #expect(refusalToOpen(frames[0], &opener) == .badTag)
        #expect(refusalToOpen(frames[2], &opener) == .badTag)
        #expect(refusalToOpen(frames[1], &opener) == nil)
        #expect(refusalToOpen(frames[2], &opener) == nil)
    }

    @Test("The last counter is 2^24 - 1; the frame after it is refused by both ends", arguments: constructions)
    func exhaustion(construction: TransportConstruction) throws {
        var sealer = try FrameSealer(key: Self.key.span, construction: construction, startingAt: Self.lastCounter)
        var opener = try FrameOpener(key: Self.key.span, construction: construction, startingAt: Self.lastCounter)
        let last = try sealer.seal([1, 2, 3])
        #expect(try opener.open(last) == [1, 2, 3])
        for _ in 0..<3 {
            #expect(refusal { _ = try sealer.seal([1, 2, 3]) } == .counterExhausted)
            #expect(refusal { _ = try opener.open(last) } == .counterExhausted)
        }
    }

    @Test("A counter beyond the last is exhausted from the start", arguments: [lastCounter + 1, .max])
    func beyond(counter: UInt32) throws {
        var sealer = try FrameSealer(key: Self.key.span, startingAt: counter)
        var opener = try FrameOpener(key: Self.key.span, startingAt: counter)
        #expect(refusal { _ = try sealer.seal([1, 2, 3]) } == .counterExhausted)
        #expect(refusal { _ = try opener.open([UInt8](repeating: 0, count: 48)) } == .counterExhausted)
    }

    @Test("A refused frame does not use up a counter", arguments: [0, lastCounter])
    func refusalKeepsCounter(counter: UInt32) throws {
        var opener = try FrameOpener(key: Self.key.span, startingAt: counter)
        let frame = try seal(counter, .current)
        #expect(refusalToOpen(frame.reversed(), &opener) == .badTag)
        #expect(refusalToOpen(frame, &opener) == nil)
    }

    @Test("A key of another length is refused", arguments: [0, 16, 31, 33])
    func keyLength(byteCount: Int) {
        let key = [UInt8](repeating: 1, count: byteCount)
        #expect(refusal { _ = try FrameSealer(key: key.span) } == .wrongLength)
        #expect(refusal { _ = try FrameOpener(key: key.span) } == .wrongLength)
    }

    private static let message = Array("thirty-one bytes and their type".utf8)

    private func seal(_ counter: UInt32, _ construction: TransportConstruction) throws -> [UInt8] {
        var sealer = try FrameSealer(key: Self.key.span, construction: construction, startingAt: counter)
        return try sealer.seal(Self.message)
    }

    private func cipher(nonce: AES256GCM.Nonce, authenticatedData: [UInt8]) throws -> [UInt8] {
        var sealer = try AES256GCM.Sealer(key: Self.key.span)
        var frame = Self.message
        Padding.pad(&frame)
        try sealer.seal(&frame, nonce: nonce, authenticatedData: authenticatedData.span)
        return frame
    }

    private func refusalToOpen(
        _ frame: [UInt8],
        _ construction: TransportConstruction
    ) throws -> HybridProtocolError.Code? {
        var opener = try FrameOpener(key: Self.key.span, construction: construction)
        return refusalToOpen(frame, &opener)
    }

    private func refusalToOpen(_ frame: [UInt8], _ opener: inout FrameOpener) -> HybridProtocolError.Code? {
        refusal { _ = try opener.open(frame) }
    }
}
