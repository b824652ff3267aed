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
            ("\"\u{E0041}\"", #""\udb40\udc41""#), ("\"\u{1B}[2J\"", #""\u001b[2J""#),
        ])
    func escapes(text: String, expected: String) {
        #expect(text.escapingInvisibleControlsInJSON == expected)
    }
}
