import Encodings
import Testing

/// Encodings that CTAP 2.2 section 8 forbids, or that no decoder may take.
@Suite struct StrictDecodingTests {
    @Test(
        "A number that is not in its shortest form is refused",
        arguments: [
            "1800", "1817", "190000", "1900ff", "1a00000000", "1a0000ffff", "1b0000000000000000", "1b00000000ffffffff",
            "3800", "3900ff", "5800", "590001", "7800", "9800", "b800", "a1180000",
            "9801f5",
        ])
    func notShortest(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .notCanonical)
    }

    @Test("An indefinite length is refused", arguments: ["5fff", "7fff", "9fff", "bfff", "5f4100ff", "9f00ff"])
    func indefinite(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .notCanonical)
    }

    @Test(
        "Keys are ordered by major type, then length, then bytes",
        arguments: [
            "a201000000", "a218180000f4", "a22000" + "00f4", "a24100" + "f41864f4", "a2616100" + "4100f4",
            "a2626161f46162f4", "a26162f46161f4", "a2424142f4424141f4", "a3616100616300616200",
        ])
    func unsorted(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .unsortedKeys)
    }

    @Test(
        "Keys in order of major type, length and bytes are taken",
        arguments: [
            "a2000001" + "00", "a21864f420f4", "a2190100f420f4", "a220f44100f4", "a243ffffff" + "f460f4",
            "a26162f4626161f4",
            "a36161f46162f4626161f4",
        ])
    func sorted(_ hex: String) throws {
        #expect(try strict(hex).encoded() == bytes(hex))
    }

    @Test(
        "A key that stands twice is refused",
        arguments: ["a201f401f5", "a26161f46161f5", "a24100f44100f5", "a220f420f4", "a300f401f401f4"])
    func duplicate(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .duplicateKey)
    }

    @Test("Texts that Swift holds equal but whose bytes differ are different keys")
    func canonicallyEquivalentKeys() throws {
        let hex = "a2" + "62c3a9" + "01" + "6365cc81" + "02"
        let map = try #require(try strict(hex).mapValue)
        #expect(map.count == 2)
        #expect(map["\u{e9}"] == 1)
        #expect(map["e\u{301}"] == 2)
        #expect(CBORValue.text("\u{e9}") != .text("e\u{301}"))
        #expect(Set<CBORValue>([.text("\u{e9}"), .text("e\u{301}")]).count == 2)
    }

    @Test(
        "Tags, floats, undefined and unknown simple values are refused",
        arguments: ["c000", "d9d9f700", "f90000", "fa00000000", "fb0000000000000000", "f7", "e0", "f3", "f820", "f8ff"])
    func unsupportedKinds(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .unsupported)
    }

    @Test(
        "A key that is neither an integer nor a string is refused", arguments: ["a18000", "a1a000", "a1f400", "a1f600"])
    func unsupportedKeys(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .unsupported)
    }

    @Test(
        "Text that is not UTF-8 is refused",
        arguments: ["61ff", "6180", "62c080", "62c32f", "63eda080", "64f4908080", "61c3", "a161ff00"])
    func invalidText(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .invalidText)
    }

    @Test(
        "What is not CBOR at all is refused by both decoders",
        arguments: [
            "1c", "1d", "1e", "3c", "5c", "7d", "9e", "bc", "dc", "fc", "fd", "fe", "1f", "3f", "ff", "81ff", "f800",
            "f814", "f818", "f81f",
        ])
    func malformed(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .malformed)
        #expect(refusal { () throws(CBORError) in try lenient(hex) } == .malformed)
    }

    @Test(
        "Bytes after the item are refused, unless a prefix was asked for", arguments: ["0000", "a0a0", "f5f5", "8000"])
    func trailing(_ hex: String) throws {
        #expect(refusal { () throws(CBORError) in try strict(hex) } == .trailingBytes)
        #expect(refusal { () throws(CBORError) in try lenient(hex) } == .trailingBytes)
        #expect(try CBORValue.decodePrefix(bytes(hex).span).byteCount == 1)
        #expect(try CBORValue.decodeLenientPrefix(bytes(hex).span).byteCount == 1)
    }

    @Test("Every truncation of a message is refused as truncated by both decoders")
    func truncations() throws {
        let whole: CBORValue = [
            1: .bytes([UInt8](repeating: 7, count: 300)), 2: ["id": "example.com", "name": "水"],
            3: [1, -300, 70000, true, .null, 5_000_000_000], -1: .text(String(repeating: "x", count: 30)),
        ]
        let encoded = whole.encoded()
        #expect(try CBORValue.decode(encoded.span) == whole)
        for count in 0..<encoded.count {
            let part = encoded.span.extracting(first: count)
            #expect(refusal { () throws(CBORError) in try CBORValue.decode(part) } == .truncated, "\(count) bytes")
            #expect(refusal { () throws(CBORError) in try CBORValue.decodeLenient(part) } == .truncated)
        }
    }

    @Test("What is accepted encodes to the same bytes, whichever bit of a message is flipped")
    func bitFlips() throws {
        let whole: CBORValue = [
            1: .bytes([1, 2, 3, 4]), 2: ["id": "e.org", "n": "ab"], 3: [-7, 24, 1000, true], -2: 4,
        ]
        var message = whole.encoded()
        var accepted = 0
        for index in message.indices {
            for bit in 0..<UInt8.bitWidth {
                message[index] ^= 1 << bit
                if let value = try? CBORValue.decode(message.span) {
                    accepted += 1
                    #expect(value.encoded() == message)
                }
                message[index] ^= 1 << bit
            }
        }
        #expect(accepted > 0)
    }
}
