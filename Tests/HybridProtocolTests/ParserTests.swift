import Cryptography
import HybridProtocol
import Testing

/// Random bytes into everything that reads foreign bytes: each is refused by a name or read, and nothing crashes.
@Suite("Every parser")
struct ParserTests {
    private static let rounds = 20_000

    @Test("survives random bytes")
    func random() throws {
        let eidKey = randomBytes(count: AdvertKey.byteCount)
        var key = try AdvertKey(eidKey: eidKey.span)
        for _ in 0..<Self.rounds {
            let bytes = randomBytes(count: .random(in: 0...100))
            let text = String(decoding: bytes, as: UTF8.self)
            _ = refusal { _ = try FirstMessage(decoding: bytes.span) }
            _ = refusal { _ = try Message(decoding: bytes.span) }
            _ = refusal { _ = try Update(decoding: bytes.span) }
            _ = refusal { _ = try QRDigits.decode(bytes.span) }
            _ = refusal { _ = try Invitation(url: "FIDO:/" + text) }
            _ = refusal { _ = try RoutingID(hex: text) }
            _ = refusal { _ = try TunnelID(hex: text) }
            _ = refusal { _ = try AdvertPlaintext(bytes) }
            _ = AdvertSuffix(bytes.span)
            let code = refusal { _ = try key.open(bytes.span) }
            #expect(code == (bytes.count < AdvertKey.advertByteCount ? .tooShort : .badTag))
        }
    }

    @Test("survives random bytes in every padding of a first message")
    func randomFirstMessages() throws {
        for _ in 0..<Self.rounds {
            let contents = randomBytes(count: .random(in: 0...40))
            let zeroCount = Int.random(in: 0...600)
            let count = [UInt8(truncatingIfNeeded: zeroCount), UInt8(truncatingIfNeeded: zeroCount >> 8)]
            let plaintext = contents + [UInt8](repeating: 0, count: .random(in: 0...600)) + count
            _ = refusal { _ = try FirstMessage(decoding: plaintext.span) }
        }
    }

    @Test("of padding takes every count that fits and refuses every count that does not", arguments: 0...300)
    func padding(byteCount: Int) throws {
        for count in UInt8.min...UInt8.max {
            var padded = [UInt8](repeating: 7, count: byteCount) + [count]
            let code = refusal { try Padding.unpad(&padded) }
            if Int(count) <= byteCount {
                #expect(code == nil)
                #expect(padded.count == byteCount - Int(count))
            } else {
                #expect(code == .badPadding)
            }
        }
    }

    @Test("of padding undoes padding at every length", arguments: 0...130)
    func paddingRoundTrip(byteCount: Int) throws {
        let message = randomBytes(count: byteCount)
        var padded = message
        Padding.pad(&padded)
        #expect(padded.count % Padding.blockByteCount == 0 && padded.count > byteCount)
        #expect(padded.count == Padding.paddedByteCount(byteCount))
        try Padding.unpad(&padded)
        #expect(padded == message)
    }
}
