import Encodings
import Testing

/// The examples of RFC 8949 appendix A.
@Suite struct AppendixATests {
    /// An example: its bytes, its diagnostic notation, and how far it goes.
    struct Example: CustomTestStringConvertible, Sendable {
        /// The decoders that take it; in a round trip it encodes to the same bytes again.
        enum Kind: Sendable { case strict, lenientOnly, notShortest }

        let hex: String
        let diagnostic: String
        let kind: Kind
        var testDescription: String { hex }

        init(_ hex: String, _ diagnostic: String, _ kind: Kind = .strict) {
            self.hex = hex
            self.diagnostic = diagnostic
            self.kind = kind
        }
    }

    static let integers = [
        Example("00", "0"), Example("01", "1"), Example("0a", "10"), Example("17", "23"), Example("1818", "24"),
        Example("1819", "25"), Example("1864", "100"), Example("1903e8", "1000"), Example("1a000f4240", "1000000"),
        Example("1b000000e8d4a51000", "1000000000000"), Example("1bffffffffffffffff", "18446744073709551615"),
        Example("3bffffffffffffffff", "-18446744073709551616"), Example("20", "-1"), Example("29", "-10"),
        Example("3863", "-100"), Example("3903e7", "-1000"),
    ]

    static let floats = [
        Example("f90000", "0.0", .lenientOnly), Example("f98000", "-0.0", .lenientOnly),
        Example("f93c00", "1.0", .lenientOnly), Example("fb3ff199999999999a", "1.1", .lenientOnly),
        Example("f93e00", "1.5", .lenientOnly), Example("f97bff", "65504.0", .lenientOnly),
        Example("fa47c35000", "100000.0", .lenientOnly),
        Example("fa7f7fffff", "3.4028234663852886e+38", .lenientOnly),
        Example("fb7e37e43c8800759c", "1e+300", .lenientOnly),
        Example("f90001", "5.960464477539063e-08", .lenientOnly),
        Example("f90400", "6.103515625e-05", .lenientOnly), Example("f9c400", "-4.0", .lenientOnly),
        Example("fbc010666666666666", "-4.1", .lenientOnly), Example("f97c00", "Infinity", .lenientOnly),
        Example("f97e00", "NaN", .lenientOnly), Example("f9fc00", "-Infinity", .lenientOnly),
        Example("fa7f800000", "Infinity", .notShortest), Example("fa7fc00000", "NaN", .notShortest),
        Example("faff800000", "-Infinity", .notShortest), Example("fb7ff0000000000000", "Infinity", .notShortest),
        Example("fb7ff8000000000000", "NaN", .notShortest), Example("fbfff0000000000000", "-Infinity", .notShortest),
    ]

    static let simpleAndTagged = [
        Example("f4", "false"), Example("f5", "true"), Example("f6", "null"),
        Example("f7", "undefined", .lenientOnly), Example("f0", "simple(16)", .lenientOnly),
        Example("f8ff", "simple(255)", .lenientOnly),
        Example("c249010000000000000000", "2(h'010000000000000000')", .lenientOnly),
        Example("c349010000000000000000", "3(h'010000000000000000')", .lenientOnly),
        Example("c074323031332d30332d32315432303a30343a30305a", "0(\"2013-03-21T20:04:00Z\")", .lenientOnly),
        Example("c11a514b67b0", "1(1363896240)", .lenientOnly),
        Example("c1fb41d452d9ec200000", "1(1363896240.5)", .lenientOnly),
        Example("d74401020304", "23(h'01020304')", .lenientOnly),
        Example("d818456449455446", "24(h'6449455446')", .lenientOnly),
        Example("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "32(\"http://www.example.com\")", .lenientOnly),
    ]

    static let strings = [
        Example("40", "h''"), Example("4401020304", "h'01020304'"), Example("60", "\"\""), Example("6161", "\"a\""),
        Example("6449455446", "\"IETF\""), Example("62225c", "\"\\\"\\\\\""), Example("62c3bc", "\"ü\""),
        Example("63e6b0b4", "\"水\""), Example("64f0908591", "\"𐅑\""),
    ]

    static let collections = [
        Example("80", "[]"), Example("83010203", "[1, 2, 3]"), Example("8301820203820405", "[1, [2, 3], [4, 5]]"),
        Example(
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]"),
        Example("a0", "{}"), Example("a201020304", "{1: 2, 3: 4}"),
        Example("a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}"),
        Example("826161a161626163", "[\"a\", {\"b\": \"c\"}]"),
        Example(
            "a56161614161626142616361436164614461656145",
            "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}"),
    ]

    static let indefinite = [
        Example("5f42010243030405ff", "h'0102030405'", .notShortest),
        Example("7f657374726561646d696e67ff", "\"streaming\"", .notShortest),
        Example("9fff", "[]", .notShortest), Example("9f018202039f0405ffff", "[1, [2, 3], [4, 5]]", .notShortest),
        Example("9f01820203820405ff", "[1, [2, 3], [4, 5]]", .notShortest),
        Example("83018202039f0405ff", "[1, [2, 3], [4, 5]]", .notShortest),
        Example("83019f0203ff820405", "[1, [2, 3], [4, 5]]", .notShortest),
        Example("bf61610161629f0203ffff", "{\"a\": 1, \"b\": [2, 3]}", .notShortest),
        Example("826161bf61626163ff", "[\"a\", {\"b\": \"c\"}]", .notShortest),
        // The example has "Fun" first; a map here is always in canonical order.
        Example("bf6346756ef563416d7421ff", "{\"Amt\": -2, \"Fun\": true}", .notShortest),
    ]

    static let all = integers + floats + simpleAndTagged + strings + collections + indefinite

    @Test("The lenient decoder reads each example as its diagnostic notation says", arguments: all)
    func lenientReading(_ example: Example) throws {
        #expect(try lenient(example.hex).diagnostic() == example.diagnostic)
    }

    @Test("The strict decoder reads the examples that are canonical and of CTAP2's kinds, and no other", arguments: all)
    func strictReading(_ example: Example) throws {
        if example.kind == .strict {
            #expect(try strict(example.hex) == lenient(example.hex))
        } else {
            #expect(refusal { () throws(CBORError) in try strict(example.hex) } != nil)
        }
    }

    @Test("Encoding gives the shortest form", arguments: all)
    func encoding(_ example: Example) throws {
        let value = try lenient(example.hex)
        #expect((hex(value.encoded()) == example.hex) == (example.kind != .notShortest))
        #expect(value.encoded().count == value.encodedByteCount)
        #expect(try CBORValue.decodeLenient(value.encoded().span) == value)
    }
}
