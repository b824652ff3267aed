import Testing

@testable import Encodings

@Suite("Foreign text in JSON")
struct InvisibleControlsTests {
    @Test(
        "has no character that a terminal follows or that hides others",
        arguments: [
            (#"{"a":"é€😀"}"#, #"{"a":"é€😀"}"#),
            ("\"\u{9B}2J\"", #""\u009b2J""#), ("\"\u{7F}\"", #""\u007f""#), ("\"a\u{202E}b\"", #""a\u202eb""#),
            ("\"\u{2028}\u{2029}\"", #""\u2028\u2029""#), ("\"\u{200B}\"", #""\u200b""#),
            ("\"a b\u{3164}\u{115F}\u{1160}\"", #""a b\u3164\u115f\u1160""#),
            ("\"\u{FFA0}\u{2800}\"", #""\uffa0\u2800""#),
            ("\"\u{A0}\u{34F}\u{17B4}\u{180B}\"", #""\u00a0\u034f\u17b4\u180b""#), ("\"\u{FE0F}\"", #""\ufe0f""#),
            ("\"\u{E0041}\"", #""\udb40\udc41""#), ("\"\u{1B}[2J\"", #""\u001b[2J""#),
        ])
    func escapes(text: String, expected: String) {
        #expect(text.escapingInvisibleControlsInJSON == expected)
        // Diagnostic notation, which questions and lists are in, has the same escapes.
        let shown = CBORValue.text(text).diagnostic()
        #expect(shown.unicodeScalars.allSatisfy { !$0.isInvisible })
    }

    @Test("escapes every code point that Unicode has ignored by default")
    func ignorable() {
        let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        let seen = scalars.filter {
            $0.properties.isDefaultIgnorableCodePoint
                && CBORValue.text(String($0)).diagnostic().unicodeScalars.contains($0)
        }
        #expect(seen.isEmpty)
    }
}
