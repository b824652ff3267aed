import Testing

@testable import Encodings

@Suite("Padding in a text")
struct PaddingTests {
    @Test(
        "becomes one space, whatever it is made of, and single blanks stay",
        arguments: [
            ("", ""), ("a b", "a b"), ("a  b", "a b"), ("  a  ", " a "), ("a\u{A0}b", "a\u{A0}b"),
            ("a" + String(repeating: " ", count: 10_000) + "b", "a b"), ("a\u{A0}\u{A0}b", "a b"),
            ("a \u{A0}\u{3000}\u{2003}\t\n\u{2028}b", "a b"), ("a\u{3164}\u{115F}\u{1160}\u{FFA0}\u{2800}b", "a b"),
            ("a\u{200B}\u{2060}\u{FEFF}\u{AD}b", "a b"), ("a\u{FE0F}\u{E0100}b", "a b"), ("\u{3164}", "\u{3164}"),
            (" \u{3164}\u{2800}", "\u{3164}"), ("\u{2800}\u{3164}", "\u{2800}"), ("   ", " "),
            ("é  😀", "é 😀"),
        ])
    func collapses(text: String, expected: String) {
        #expect(text.collapsingPadding.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }
}
