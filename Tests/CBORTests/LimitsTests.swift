import Encodings
import Testing

/// Hostile input is refused, or read, in bounded time and memory.
@Suite(.timeLimit(.minutes(2))) struct LimitsTests {
    static let generous = CBORLimits(maxDepth: 64, maxItems: .max, maxBytes: 1 << 20)
    static let mebibyte = 1 << 20

    private func nested(_ opening: [UInt8], _ count: Int) -> [UInt8] {
        [UInt8](repeatElement(opening, count: count).joined()) + [0]
    }

    @Test("Nesting is limited", arguments: [[0x81], [0xa1, 0x00]] as [[UInt8]])
    func depth(_ opening: [UInt8]) throws {
        let limits = CBORLimits(maxDepth: 4, maxItems: 100, maxBytes: 100)
        _ = try CBORValue.decode(nested(opening, 4).span, limits: limits)
        let tooDeep = nested(opening, 5)
        #expect(refusal { () throws(CBORError) in try CBORValue.decode(tooDeep.span, limits: limits) } == .tooDeep)
        #expect(
            refusal { () throws(CBORError) in try CBORValue.decodeLenient(tooDeep.span, limits: limits) } == .tooDeep)
    }

    @Test("Without limits of the caller's own, 16 levels, 65,536 items and 1 MiB are read, and no more")
    func standard() throws {
        func check(_ accepted: [UInt8], _ refused: [UInt8], _ code: CBORError.Code) throws {
            _ = try CBORValue.decode(accepted.span)
            #expect(refusal { () throws(CBORError) in try CBORValue.decode(refused.span) } == code)
        }
        try check(nested([0x81], 16), nested([0x81], 17), .tooDeep)
        // The array counts too.
        func zeros(_ count: UInt8...) -> [UInt8] {
            let number = count.reduce(0) { $0 << 8 | Int($1) }
            return (count.count == 2 ? [0x99] : [0x9a]) + count + [UInt8](repeating: 0, count: number)
        }
        try check(zeros(0xff, 0xff), zeros(0, 1, 0, 0), .tooManyItems)
        func string(_ byteCount: Int) -> [UInt8] {
            let contents = byteCount - 5
            let length = (0..<4).map { UInt8(truncatingIfNeeded: contents >> (24 - 8 * $0)) }
            return [0x5a] + length + [UInt8](repeating: 0, count: contents)
        }
        try check(string(Self.mebibyte), string(Self.mebibyte + 1), .tooLarge)
    }

    @Test(
        "A mebibyte of openings does not reach the end of the stack",
        arguments: [0x81, 0xa1, 0x9f, 0xbf, 0xc1] as [UInt8])
    func deepest(_ opening: UInt8) {
        let input = [UInt8](repeating: opening, count: Self.mebibyte)
        let limits = CBORLimits(maxDepth: .max, maxItems: .max, maxBytes: .max)
        #expect(limits.maxDepth == CBORLimits.deepest)
        #expect(refusal { () throws(CBORError) in try CBORValue.decodeLenient(input.span, limits: limits) } == .tooDeep)
        #expect(refusal { () throws(CBORError) in try CBORValue.decode(input.span, limits: limits) } != nil)
    }

    @Test("The number of items is limited, and every item counts")
    func items() throws {
        let limits = CBORLimits(maxDepth: 4, maxItems: 5, maxBytes: 100)
        _ = try strict("8400010203", limits: limits)
        #expect(refusal { () throws(CBORError) in try strict("850001020304", limits: limits) } == .tooManyItems)
        #expect(refusal { () throws(CBORError) in try strict("a3000001000200", limits: limits) } == .tooManyItems)
        #expect(refusal { () throws(CBORError) in try lenient("5f4040404040ff", limits: limits) } == .tooManyItems)
    }

    @Test("The number of bytes is limited")
    func byteCount() throws {
        let limits = CBORLimits(maxDepth: 4, maxItems: 5, maxBytes: 3)
        _ = try strict("420000", limits: limits)
        #expect(refusal { () throws(CBORError) in try strict("43000000", limits: limits) } == .tooLarge)
        #expect(refusal { () throws(CBORError) in try lenient("43000000", limits: limits) } == .tooLarge)
    }

    @Test(
        "A length is never trusted",
        arguments: [
            "5bffffffffffffffff", "7bffffffffffffffff", "9bffffffffffffffff", "bbffffffffffffffff",
            "5b7fffffffffffffff00", "9b7fffffffffffffff00", "bb7fffffffffffffff0000", "bb80000000000000000000",
            "5affffffff", "9affffffff", "ba00ffffff",
        ])
    func claimedLengths(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .truncated)
        #expect(refusal { () throws(CBORError) in try lenient(hex) } == .truncated)
    }

    @Test("A mebibyte of small items is read in time")
    func manyItems() throws {
        var flat: [UInt8] = [0x9a, 0x00, 0x0f, 0xff, 0xfb]
        flat += [UInt8](repeating: 0, count: Self.mebibyte - flat.count)
        #expect(try CBORValue.decode(flat.span, limits: Self.generous).encoded() == flat)
        #expect(refusal { () throws(CBORError) in try CBORValue.decode(flat.span) } == .tooManyItems)
    }

    @Test("A map of many keys backwards, and one of many container keys, are sorted in time")
    func manyKeys() throws {
        let keyCount = 40_000
        var backwards: [UInt8] = [0xb9] + [UInt8(keyCount >> 8), UInt8(keyCount & 0xff)]
        var containers = backwards
        for number in (0..<keyCount).reversed() {
            let key: [UInt8] = [0x19, UInt8(number >> 8), UInt8(number & 0xff)]
            backwards += key + [0]
            containers += [0x81] + key + [0]
        }
        #expect(try CBORValue.decodeLenient(backwards.span, limits: Self.generous).mapValue?.count == keyCount)
        #expect(try CBORValue.decodeLenient(containers.span, limits: Self.generous).mapValue?.count == keyCount)
    }

    @Test("A mebibyte of empty chunks is read in time")
    func chunks() throws {
        for (opening, chunk) in [(0x5f, 0x40), (0x7f, 0x60)] as [(UInt8, UInt8)] {
            let input = [opening] + [UInt8](repeating: chunk, count: Self.mebibyte - 2) + [0xff]
            #expect(try CBORValue.decodeLenient(input.span, limits: Self.generous).encodedByteCount == 1)
        }
    }
}
