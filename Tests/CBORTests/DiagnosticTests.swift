import Encodings
import Testing

/// Diagnostic notation (RFC 8949 section 8) that is safe to print.
@Suite struct DiagnosticTests {
    @Test(
        "What could steer a terminal or mislead the eye is escaped",
        arguments: [
            ("\u{1b}[31m", #""\u001b[31m""#), ("\n\r\t", #""\n\r\t""#), ("\u{0}\u{7f}\u{9b}", #""\u0000\u007f\u009b""#),
            ("\u{202e}gpj", #""\u202egpj""#), ("\u{2066}\u{200b}\u{feff}", #""\u2066\u200b\ufeff""#),
            ("\u{2028}\u{a0}", #""\u2028\u00a0""#), ("\u{e0041}", #""\udb40\udc41""#), ("é水😀 a", "\"é水😀 a\""),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(CBORValue.text(text).diagnostic() == expected)
    }

    @Test("With an indent each element has a line of its own")
    func indented() {
        let value: CBORValue = [1: [true, -7], 2: [:], 3: .bytes([0xab, 0x01]), "x": []]
        let expected = """
            {
              1: [
                true,
                -7
              ],
              2: {},
              3: h'ab01',
              "x": []
            }
            """
        #expect(value.diagnostic(indent: 2) == expected)
        #expect(value.diagnostic() == #"{1: [true, -7], 2: {}, 3: h'ab01', "x": []}"#)
    }
}
