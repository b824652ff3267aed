import Testing

@testable import hybrid

/// Messages of a browser on another machine.
@Suite("A browser's message")
struct BrowserMessageTests {
    @Test("is refused by its length alone if that is none, or more than 1 MiB", arguments: [0, 1 << 20, 1 << 20 + 1])
    func length(_ length: Int) {
        var message = BrowserMessage()
        let head = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        let isTaken = if case .partial = message.take(head[...]) { true } else { false }
        #expect(isTaken == (length == 1 << 20))
    }
}
