import Testing

@testable import Cryptography

@Suite struct DERTests {
    @Test("An element is read back whatever the form of its length", arguments: [0, 1, 127, 128, 255, 256, 65_535])
    func roundTrip(byteCount: Int) {
        let contents = [UInt8](repeating: 7, count: byteCount)
        let element = DER.element(.octetString, contents)
        let wrapped = element + DER.element(.null, [])
        var reader = DERReader(wrapped.indices)
        #expect(reader.take(.integer, wrapped.span) == nil)
        #expect(reader.take(.octetString, wrapped.span) == element.count - byteCount..<element.count)
        #expect(!reader.isAtEnd)
        #expect(reader.takeAny(wrapped.span)?.isEmpty == true)
        #expect(reader.isAtEnd && reader.takeAny(wrapped.span) == nil)
    }

    @Test(
        "No element is read that is cut off, has a length in more bytes than it needs or an indefinite one, or a long tag",
        arguments: [
            [], [0x04], [0x04, 0x01], [0x04, 0x81], [0x04, 0x82, 0x01], [0x04, 0x81, 0x7F] + zeros(0x7F),
            [0x04, 0x82, 0x00, 0xFF] + zeros(0xFF), [0x04, 0x80, 0x00, 0x00], [0x04, 0x83, 0x01, 0x00, 0x00],
            [0x04, 0xFF], [0x1F, 0x01, 0x00], [0x3F, 0x00],
        ] as [[UInt8]])
    func refusal(bytes: [UInt8]) {
        var reader = DERReader(bytes.indices)
        #expect(reader.takeAny(bytes.span) == nil)
        #expect(reader.take(.octetString, bytes.span) == nil)
        #expect(reader.offset == 0)
    }

    @Test("An element ends within its reader's range, though there are more bytes")
    func bounds() {
        let bytes = DER.sequence([0x04, 0x01]) + [0x00]
        var whole = DERReader(bytes.indices)
        var inner = whole.enter(.sequence, bytes.span)
        #expect(inner?.take(.octetString, bytes.span) == nil)
        #expect(inner?.isAtEnd == false)
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
