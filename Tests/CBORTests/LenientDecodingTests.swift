import Encodings
import Testing

/// Any well-formed CBOR, as a phone's getInfo needs it (HT-CTAP-19).
@Suite struct LenientDecodingTests {
    @Test("Keys may stand in any order")
    func unsorted() throws {
        #expect(try lenient("a30302" + "0102" + "6161f5") == [1: 2, 3: 2, "a": true])
        #expect(try lenient("a2616101" + "0102") == [1: 2, "a": 1])
    }

    @Test(
        "Of equal keys the first counts, whatever form they are in",
        arguments: ["a201180a010b", "a301180a1801f51a00000001f6", "bf01180a01f6ff"])
    func duplicates(_ hex: String) throws {
        #expect(try lenient(hex) == [1: 10])
    }

    @Test("Keys may be of any kind")
    func keysOfAnyKind() throws {
        let map = try #require(
            try lenient("a7" + "f500" + "810101" + "8002" + "a003" + "f93c0004" + "f605" + "8101" + "06").mapValue)
        #expect(map.count == 6)
        #expect(map[.array([1])] == 1)
        #expect(map[.array([])] == 2)
        #expect(map[.map([:])] == 3)
        #expect(map[.float(1)] == 4)
        #expect(map[.null] == 5)
        #expect(map[.bool(true)] == 0)
    }

    @Test("Text that is not UTF-8 is repaired")
    func repairedText() throws {
        #expect(try lenient("62" + "61c3").textValue == "a\u{fffd}")
        #expect(try lenient("7f" + "61c3" + "61a9" + "ff").textValue == "\u{fffd}\u{fffd}")
    }

    @Test(
        "A chunk must be of its string's kind and of definite length",
        arguments: ["5f6161ff", "7f4161ff", "5f5f4100ffff", "7f00ff", "5f80ff", "7f7f6161ffff"])
    func wrongChunks(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try lenient(hex) } == .malformed)
    }

    @Test(
        "A break is not a value",
        arguments: ["bf00ff", "a100ff", "82ff00", "c0ff", "bfffff"])
    func strayBreaks(_ hex: String) {
        let code = refusal { () throws(CBORError) in try lenient(hex) }
        #expect(code == .malformed || code == .trailingBytes)
    }

    @Test(
        "An indefinite item without its break is truncated", arguments: ["5f", "7f6161", "9f", "9f00", "bf", "bf0000"])
    func missingBreak(_ hex: String) {
        #expect(refusal { () throws(CBORError) in try lenient(hex) } == .truncated)
    }

    @Test("Unknown simple values and tags keep their numbers")
    func numbers() throws {
        #expect(try lenient("f8ff") == .simple(try #require(CBORSimple(rawValue: 255))))
        #expect(try lenient("d9d9f7f7") == .tagged(55799, .undefined))
        #expect(CBORSimple(rawValue: 20) == nil)
        #expect(CBORSimple(rawValue: 31) == nil)
    }
}
