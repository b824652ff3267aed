import Encodings
import Testing

/// CTAP2's canonical form (CTAP 2.2 section 8), and how maps keep it.
@Suite struct EncodingTests {
    @Test("A map is written in order of major type, length and bytes, whatever order it was made in")
    func order() {
        let keys: [CBORValue] = [
            0, 23, 24, 1000, -1, -100, .bytes([]), .bytes([0xff]), .bytes([0, 0]), "", "b", "id", "rk", "uv", "name",
            "displayName",
        ]
        let sorted = keys.map { CBORMap.Entry(key: $0, value: .null) }
        #expect(CBORMap(sorted.reversed()).entries.map(\.key) == keys)
        var map = CBORMap()
        for key in keys.reversed() { map[key] = true }
        #expect(map.entries.map(\.key) == keys)
        #expect(CBORMap(sorted.shuffled()).encoded() == CBORMap(sorted).encoded())
    }

    @Test("A request of Chromium's is written byte for byte")
    func request() {
        let request: CBORValue = [5: ["uv": true], 1: "localhost", 2: .bytes([0xaa])]
        #expect(hex(request.encoded()) == "a301696c6f63616c686f73740241aa05a1627576f5")
    }

    @Test("Entries can be set, replaced and removed")
    func editing() {
        var map: CBORMap = [1: 1, "a": 2]
        map[2] = 3
        map["a"] = 4
        map[1] = nil
        map[9] = nil
        #expect(map == [2: 3, "a": 4])
        #expect(map.count == 2 && !map.isEmpty)
        #expect(map[2] == 3 && map["a"] == 4 && map[1] == nil)
        #expect(CBORMap([.init(key: 1, value: 1), .init(key: 1, value: 2)]) == [1: 1])
    }

    @Test(
        "Integers of every size go both ways",
        arguments: [
            0, 23, 24, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, .max, -1, -24, -25, -256, -257, -65536,
            -65537,
            -4_294_967_296, -4_294_967_297, .min,
        ] as [Int64])
    func integers(_ number: Int64) throws {
        let value = CBORValue(number)
        #expect(value.integerValue == number)
        #expect(try CBORValue.decode(value.encoded().span).integerValue == number)
        #expect(value.encoded().count == value.encodedByteCount)
    }

    @Test("An integer beyond 64 bits has no integerValue")
    func hugeIntegers() {
        #expect(CBORValue.unsigned(1 << 63).integerValue == nil)
        #expect(CBORValue.negative(1 << 63).integerValue == nil)
        #expect(CBORValue.unsigned(.max).unsignedValue == .max)
    }

    @Test("Accessors answer for their own kind only")
    func accessors() {
        #expect(CBORValue.text("a").textValue == "a" && CBORValue.bytes([1]).textValue == nil)
        #expect(CBORValue.bytes([1]).bytesValue == [1] && CBORValue.text("a").bytesValue == nil)
        #expect(CBORValue.array([1]).arrayValue == [1] && CBORValue.null.arrayValue == nil)
        #expect(CBORValue.map([1: 2]).mapValue == [1: 2] && CBORValue.null.mapValue == nil)
        #expect(CBORValue.bool(false).boolValue == false && CBORValue.null.boolValue == nil)
        #expect(CBORValue.unsigned(3).unsignedValue == 3 && CBORValue.negative(3).unsignedValue == nil)
    }
}

extension EncodingTests {
    @Test("Every half-precision number goes both ways, and what lies between two does not become one")
    func halves() throws {
        for bits in UInt16.min...UInt16.max {
            let input: [UInt8] = [0xf9, UInt8(bits >> 8), UInt8(bits & 0xff)]
            guard case .float(let number) = try CBORValue.decodeLenient(input.span) else {
                Issue.record("\(bits) is not a float")
                continue
            }
            #expect(
                number.isNaN
                    ? CBORValue.float(number).encoded() == [0xf9, 0x7e, 0x00]
                    : CBORValue.float(number).encoded() == input)
            #expect(number.isNaN || number.isInfinite || CBORValue.float(number.nextUp).encoded().count == 9)
        }
        #expect(CBORValue.float(65520).encoded().count == 5)
        #expect(CBORValue.float(0x1p-25).encoded().count == 5)
    }
}
