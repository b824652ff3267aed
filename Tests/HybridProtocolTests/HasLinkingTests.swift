import Encodings
import HybridProtocol
import Testing

/// Linking data that a reader of captures names without opening them (HT-LNK-19, HT-MSG-47).
@Suite("Linking data")
struct HasLinkingTests {
    @Test("are known to be there in an update, or not", arguments: [true, false])
    func update(hasLinking: Bool) throws {
        let payload = Update.encoded(linking: hasLinking ? CBORMap() : nil)
        #expect(try Self.updateHasLinking(payload) == hasLinking)
    }

    @Test("are known to be there in a first message, or not", arguments: [true, false])
    func firstMessage(hasLinking: Bool) throws {
        var map = CBORMap()
        map[1] = .bytes([0xA0])
        if hasLinking { map[2] = .map(CBORMap()) }
        #expect(try Self.messageHasLinking(CBORValue.map(map).encoded()) == hasLinking)
    }

    private static func updateHasLinking(_ payload: [UInt8]) throws -> Bool {
        let update = try Update(decoding: payload.span)
        return update.hasLinking
    }

    private static func messageHasLinking(_ plaintext: [UInt8]) throws -> Bool {
        let message = try ReceivedFirstMessage(decoding: plaintext.span)
        return message.hasLinking
    }
}
