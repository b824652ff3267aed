import Testing

@testable import DesktopAuthenticator

/// Text in the lines of the Assuan protocol.
@Suite struct AssuanTextTests {
    @Test func `what would end a line or begin an escape is escaped`() {
        #expect(AssuanText.line("SETDESC", "50%\r\nof\tit\u{7F}") == "SETDESC 50%25%0D%0Aof it ")
    }

    @Test(arguments: ["a", "%", "ä", "\u{1F511}"])
    func `a text that is too long is cut between two characters, with a note`(_ character: String) {
        let line = AssuanText.line("SETDESC", String(repeating: character, count: 2_000))
        #expect(line.utf8.count <= 1_000 && line.utf8.count > 990)
        #expect(line.hasSuffix(" (and more)"))
        let kept = line.dropFirst("SETDESC ".count).dropLast(" (and more)".count)
        #expect(kept.replacing("%25", with: "%").allSatisfy { String($0) == character })
    }

    @Test func `the longest text that fits is not cut`() {
        let text = String(repeating: "a", count: 1_000 - "SETDESC ".count)
        #expect(AssuanText.line("SETDESC", text) == "SETDESC " + text)
    }

    @Test(arguments: [
        ("", ""), ("a b", "a b"), ("%25%0a%0A", "%\n\n"), ("a%2", nil), ("%", nil), ("%zz", nil), ("123456789", nil),
    ])
    func `data is decoded strictly and within its bound`(_ data: String, _ expected: String?) {
        var buffer = [UInt8](repeating: 0, count: 8)
        var count = 0
        let line = Array("D \(data)".utf8)
        let isRight = AssuanText.decode(line.span, from: 2, into: &buffer, at: &count)
        #expect(isRight == (expected != nil))
        if let expected { #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == expected) }
    }
}
