import Encodings
import Testing

/// Properties that must hold for any input.
@Suite(.timeLimit(.minutes(5))) struct RandomInputTests {
    /// A small generator with a seed, so that a failure comes again (SplitMix64).
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
            return mixed ^ mixed >> 31
        }
    }

    /// First bytes of containers, strings and heads of every length come up more often than they would by chance.
    static let common: [UInt8] = [
        0x00, 0x01, 0x18, 0x19, 0x20, 0x41, 0x5f, 0x61, 0x7f, 0x82, 0x9f, 0xa1, 0xa2, 0xbf, 0xc1, 0xf5, 0xf9, 0xff,
    ]

    static func input(_ generator: inout Generator) -> [UInt8] {
        let count = Int.random(in: 0...40, using: &generator)
        return (0..<count).map { _ in
            Bool.random(using: &generator)
                ? UInt8.random(in: .min ... .max, using: &generator) : common.randomElement(using: &generator) ?? 0
        }
    }

    @Test("What the strict decoder takes encodes to the same bytes, and the lenient one takes it too", arguments: 0..<4)
    func strictReading(_ seed: UInt64) throws {
        var generator = Generator(state: seed)
        var taken = 0
        for _ in 0..<20_000 {
            let input = Self.input(&generator)
            guard let (value, byteCount) = try? CBORValue.decodePrefix(input.span) else { continue }
            taken += 1
            #expect(value.encoded() == Array(input.prefix(byteCount)))
            let lenient = try CBORValue.decodeLenientPrefix(input.span)
            #expect(lenient.value == value && lenient.byteCount == byteCount)
        }
        #expect(taken > 1000)
    }

    @Test("What the lenient decoder takes reads the same after it was encoded", arguments: 0..<4)
    func lenientReading(_ seed: UInt64) throws {
        var generator = Generator(state: seed)
        var taken = 0
        for _ in 0..<20_000 {
            let input = Self.input(&generator)
            guard let (value, byteCount) = try? CBORValue.decodeLenientPrefix(input.span) else { continue }
            taken += 1
            #expect(byteCount <= input.count)
            let encoded = value.encoded()
            #expect(encoded.count == value.encodedByteCount)
            let again = try CBORValue.decodeLenient(encoded.span)
            #expect(again == value && again.hashValue == value.hashValue, "\(value.diagnostic())")
            #expect(again.encoded() == encoded)
        }
        #expect(taken > 1000)
    }
}
