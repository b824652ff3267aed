import Cryptography
import Noise
import Testing

/// The transport phase (PROTOCOL.md 6.1).
@Suite struct TransportTests {
    private static let key = [UInt8](0..<32)
    private static let lastCounter: UInt32 = (1 << 24) - 1
    private static let constructions: [TransportConstruction] = [.current, .old]

    @Test("Messages arrive in their order, whatever their length", arguments: constructions)
    func roundTrip(construction: TransportConstruction) throws {
        var sealer = try TransportSealer(key: Self.key.span, construction: construction)
        var opener = try TransportOpener(key: Self.key.span, construction: construction)
        for byteCount in [0, 1, 16, 31, 32, 33, 1024, 0, 70_000] {
            let plaintext = [UInt8](repeating: 3, count: byteCount)
            var message = plaintext
            try sealer.seal(&message)
            #expect(message.count == byteCount + AES256GCM.tagByteCount)
            try opener.open(&message)
            #expect(message == plaintext)
        }
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

    @Test(
        "A message with room for its tag is sealed to the same bytes, and uses up its counter", arguments: constructions
    )
    func roomForTag(construction: TransportConstruction) throws {
        var sealer = try TransportSealer(key: Self.key.span, construction: construction)
        for counter: UInt32 in 0..<3 {
            var message = Self.plaintext + [UInt8](repeating: 0xff, count: AES256GCM.tagByteCount)
            var span = message.mutableSpan
            try sealer.seal(&span)
            #expect(try message == seal(counter, construction))
        }
    }

    @Test("Neither construction opens the other's first message, although their first nonces are the same")
    func otherConstruction() throws {
        #expect(try refusalToOpen(seal(0, .current), .old) == .authenticationFailed)
        #expect(try refusalToOpen(seal(0, .old), .current) == .authenticationFailed)
    }

    @Test("Every flipped bit and every truncation is refused, and the true message opens afterwards")
    func changed() throws {
        let sealed = try seal(0, .current)
        var opener = try TransportOpener(key: Self.key.span)
        let truncations = sealed.indices.map { Array(sealed.prefix($0)) }
        for changed in singleBitFlips(sealed).map(\.flipped) + truncations + [sealed + [0]] {
            #expect(refusalToOpen(changed, &opener) == .authenticationFailed)
        }
        #expect(refusalToOpen(sealed, &opener) == nil)
    }

    @Test("What was refused is wiped from the caller's array")
    func refusedIsEmptied() throws {
        var opener = try TransportOpener(key: Self.key.span)
        var message = try seal(1, .current)
        #expect(throws: NoiseError.self) { try opener.open(&message) }
        #expect(message.isEmpty)
    }

    @Test("A replayed, an omitted and an overtaking message are refused")
    func order() throws {
        let sealed = try (0..<3).map { try seal($0, .current) }
        var opener = try TransportOpener(key: Self.key.span)
        #expect(refusalToOpen(sealed[1], &opener) == .authenticationFailed)
        #expect(refusalToOpen(sealed[0], &opener) == nil)
        #expect(refusalToOpen(sealed[0], &opener) == .authenticationFailed)
        #expect(refusalToOpen(sealed[2], &opener) == .authenticationFailed)
        #expect(refusalToOpen(sealed[1], &opener) == nil)
        #expect(refusalToOpen(sealed[2], &opener) == nil)
    }

    @Test("The last counter is 2^24 - 1; the message after it is refused by both ends", arguments: constructions)
    func exhaustion(construction: TransportConstruction) throws {
        var sealer = try TransportSealer(key: Self.key.span, construction: construction, startingAt: Self.lastCounter)
        var opener = try TransportOpener(key: Self.key.span, construction: construction, startingAt: Self.lastCounter)
        var message: [UInt8] = [1, 2, 3]
        try sealer.seal(&message)
        let last = message
        try opener.open(&message)
        #expect(message == [1, 2, 3])
        for _ in 0..<3 {
            #expect(refusal { () throws(NoiseError) in try sealer.seal(&message) } == .counterExhausted)
            #expect(refusalToOpen(last, &opener) == .counterExhausted)
        }
    }

    @Test("A counter beyond the last is exhausted from the start", arguments: [lastCounter + 1, .max])
    func beyond(counter: UInt32) throws {
        var sealer = try TransportSealer(key: Self.key.span, startingAt: counter)
        var opener = try TransportOpener(key: Self.key.span, startingAt: counter)
        var message: [UInt8] = [1, 2, 3]
        #expect(refusal { () throws(NoiseError) in try sealer.seal(&message) } == .counterExhausted)
        #expect(refusal { () throws(NoiseError) in try opener.open(&message) } == .counterExhausted)
    }

    @Test("A refused message does not use up a counter", arguments: [lastCounter])
    func refusalKeepsCounter(counter: UInt32) throws {
        var opener = try TransportOpener(key: Self.key.span, startingAt: counter)
        let sealed = try seal(counter, .current)
        #expect(refusalToOpen(sealed + [0], &opener) == .authenticationFailed)
        #expect(refusalToOpen(sealed, &opener) == nil)
    }

    @Test("A key of another length is refused", arguments: [0, 16, 31, 33])
    func keyLength(byteCount: Int) {
        let key = [UInt8](repeating: 1, count: byteCount)
        #expect(refusal { () throws(NoiseError) in try TransportSealer(key: key.span) } == .wrongLength)
        #expect(refusal { () throws(NoiseError) in try TransportOpener(key: key.span) } == .wrongLength)
    }

    private static let plaintext: [UInt8] = Array("thirty-one bytes and a count of".utf8) + [0]

    private func seal(_ counter: UInt32, _ construction: TransportConstruction) throws -> [UInt8] {
        var sealer = try TransportSealer(key: Self.key.span, construction: construction, startingAt: counter)
        var message = Self.plaintext
        try sealer.seal(&message)
        return message
    }

    private func cipher(nonce: AES256GCM.Nonce, authenticatedData: [UInt8]) throws -> [UInt8] {
        var sealer = try AES256GCM.Sealer(key: Self.key.span)
        var message = Self.plaintext
        try sealer.seal(&message, nonce: nonce, authenticatedData: authenticatedData.span)
        return message
    }

    private func refusalToOpen(_ sealed: [UInt8], _ construction: TransportConstruction) throws -> NoiseError.Code? {
        var opener = try TransportOpener(key: Self.key.span, construction: construction)
        return refusalToOpen(sealed, &opener)
    }

    private func refusalToOpen(_ sealed: [UInt8], _ opener: inout TransportOpener) -> NoiseError.Code? {
        var message = sealed
        return refusal { () throws(NoiseError) in try opener.open(&message) }
    }
}
