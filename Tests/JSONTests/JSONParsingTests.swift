import Encodings
import Testing

/// The texts that are JSON, and those that are not (RFC 8259).
@Suite("A JSON parser")
struct JSONParsingTests {
    @Test("reads every kind of value, and keeps numbers and the order of members as they are written")
    func kinds() throws {
        let text = #" {"z":[1,-0,2.50E+3,12345678901234567890123],"a":{"t":true,"f":false,"n":null},"":"x"} "#
        let value = try JSONValue(parsing: text)
        #expect(value.text == text.filter { $0 != " " })
        #expect(value["z"]?.arrayValue?.count == 4)
        #expect(value["a"]?["t"] == true)
        #expect(value["a"]?["n"] == .null)
        #expect(value[""]?.stringValue == "x")
        #expect(value["b"] == nil)
        #expect(value["z"]?["b"] == nil)
    }

    @Test(
        "takes strings with every escape, and writes them again so that every reader sees the same",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u00e9\uD83D\uDE00\u0000""#, "é😀\u{0}"),
            (#""é😀\u2028""#, "é😀\u{2028}"),
        ])
    func strings(text: String, expected: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.stringValue == expected)
        #expect(try JSONValue(parsing: value.text) == value)
    }

    @Test(
        "takes numbers as the grammar has them",
        arguments: ["0", "-0", "10", "-1.5", "1e5", "1E-5", "0.0e+0", "123456789012345678901234567890"])
    func numbers(text: String) throws {
        #expect(try JSONValue(parsing: text).text == text)
    }

    @Test(
        "refuses what is not JSON",
        arguments: [
            "", " ", "nul", "True", "nullx", "[1,]", "[,1]", "[1 2]", "[1", "[", "]", "{", "{}}", "[]]", #"{"a"}"#,
            #"{"a":}"#,
            #"{"a":1,}"#, "{a:1}", "{'a':1}", #"{"a":1 "b":2}"#, #"{1:1}"#, "+1", "01", "-", "1.", ".5", "1e", "1e+",
            "0x1",
            "NaN", "Infinity", "-Infinity", #"""#, #""a"#, #""\x""#, #""\u12""#, #""\u12g4""#, "\"\n\"", "\"\u{0}\"",
            "\u{feff}1", "// 1\n1", "1 /* */", "[1]\u{0}", "1\u{a0}",
        ])
    func malformed(text: String) {
        #expect(throws: JSONError(.malformed, reason: "")) { try JSONValue(parsing: text) }
    }

    @Test(
        "refuses strings that are not Unicode",
        arguments: [
            Array(#""\uD800""#.utf8), Array(#""\uD800x""#.utf8), Array(#""\uDC00""#.utf8),
            Array(#""\uD800\uD800""#.utf8),
            [0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xc0, 0x80, 0x22],
        ] as [[UInt8]])
    func invalidText(bytes: [UInt8]) {
        #expect(throws: JSONError(.invalidText, reason: "")) { try JSONValue(parsing: bytes.span) }
    }

    @Test(
        "refuses an object with two members of one name, however they are written",
        arguments: [#"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"":1,"":2}]"#])
    func duplicates(text: String) {
        #expect(throws: JSONError(.duplicateName, reason: "")) { try JSONValue(parsing: text) }
    }

    @Test("Where browsers are followed, the last member of a name counts")
    func lastDuplicate() throws {
        var limits = JSONLimits.standard
        limits.takesLastDuplicate = true
        let text = #"{"a":1,"b":{"c":1,"c":2},"a":3,"\u0061":4}"#
        #expect(try JSONValue(parsing: text, limits: limits).text == #"{"a":4,"b":{"c":2}}"#)
    }

    @Test("tells names apart by their bytes, also where Swift takes texts for equal")
    func canonicalEquivalence() throws {
        let value = try JSONValue(parsing: "{\"\u{212a}\":1,\"K\":2,\"\u{e9}\":3,\"e\u{301}\":4}")
        #expect(value["K"] == .integer(2))
        #expect(value["\u{212a}"] == .integer(1))
    }

    @Test("reads as deep as its limit and no deeper", arguments: ["[", #"{"a":"#])
    func depth(opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)
        }
        let limits = JSONLimits(byteCount: 1 << 20, depth: 5)
        #expect(throws: Never.self) { try JSONValue(parsing: nested(5), limits: limits) }
        #expect(throws: JSONError(.tooDeep, reason: "")) { try JSONValue(parsing: nested(6), limits: limits) }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(64)) }
        for depth in [65, 10_000, 100_000] {
            #expect(throws: JSONError(.tooDeep, reason: "")) { try JSONValue(parsing: nested(depth)) }
        }
        // Nothing of it is closed either.
        #expect(throws: JSONError(.tooDeep, reason: "")) {
            try JSONValue(parsing: String(repeating: opening, count: 10_000))
        }
    }

    @Test("reads as many bytes as its limit and no more")
    func length() throws {
        let most = "\"" + String(repeating: "x", count: (1 << 20) - 2) + "\""
        #expect(try JSONValue(parsing: most).stringValue?.utf8.count == (1 << 20) - 2)
        #expect(throws: JSONError(.tooLong, reason: "")) { try JSONValue(parsing: most + " ") }
    }

    @Test("reads 1 MiB of anything", arguments: ["[0", ",0", "[]", "{}", " ", "\"\"", "\\", "9", "-", "1e"])
    func megabyte(of piece: String) {
        let text = "[" + String(repeating: piece, count: ((1 << 20) - 1) / piece.utf8.count)
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test("survives every change of one byte, and every cut")
    func mutations() throws {
        let text = Array(#"{"a":[1.5e3,"\u00e9\n",{"b":null,"c":true}],"d":-0}"#.utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                guard let value = try? JSONValue(parsing: changed.span) else { continue }
                // An accepted text says the same when it is read again.
                #expect(try JSONValue(parsing: value.text) == value)
            }
            let cut = Array(text[..<index])
            #expect(throws: JSONError.self) { try JSONValue(parsing: cut.span) }
        }
    }
}

@Suite("A JSON value")
struct JSONValueTests {
    @Test("is written down as literals are, its members in their order")
    func literals() throws {
        let value: JSONValue = ["b": 1, "a": [-2, true, "x", []], "": [:]]
        #expect(value.text == #"{"b":1,"a":[-2,true,"x",[]],"":{}}"#)
        #expect(try JSONValue(parsing: value.text) == value)
    }
}
