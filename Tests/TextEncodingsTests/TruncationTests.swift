import Testing

@testable import Encodings

@Suite("A text that is cut to a number of bytes")
struct TruncationTests {
    @Test(
        "ends between two scalars, and has as many as fit",
        arguments: ["", "abc", "äö", "a€€", "👩‍👩‍👧x", "e\u{301}e\u{301}"])
    func scalars(_ text: String) {
        for limit in 0...text.utf8.count + 1 {
            var kept = String.UnicodeScalarView()
            var byteCount = 0
            for scalar in text.unicodeScalars {
                byteCount += UTF8.width(scalar)
                guard byteCount <= limit else { break }
                kept.append(scalar)
            }
            #expect(Array(text.truncated(toByteCount: limit).utf8) == Array(String(kept).utf8))
        }
    }
}
