import Foundation
import HybridProtocol
import Testing

@Suite("An identifier of a tunnel")
struct TunnelIdentifierTests {
    @Test("has its length", arguments: [0, 2, 3, 4, 15, 16, 17])
    func lengths(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect((try? TunnelID(bytes))?.bytes == (count == 16 ? bytes : nil))
        #expect((try? RoutingID(bytes))?.bytes == (count == 3 ? bytes : nil))
    }

    @Test("travels as hexadecimal digits of either case")
    func hex() throws {
        #expect(try RoutingID([0xA1, 0xB2, 0xC3]).hex == "a1b2c3")
        #expect(try RoutingID(hex: "A1b2C3") == RoutingID([0xA1, 0xB2, 0xC3]))
        #expect(RoutingID.zero.hex == "000000")
        let text = "00112233445566778899AABBCCDDEEFF"
        #expect(try TunnelID(hex: text).hex == text.lowercased())
    }

    @Test(
        "is refused in any other form",
        arguments: [
            ("", "wrong-length"), ("a1b2", "wrong-length"), ("a1b2c3d4", "wrong-length"), ("a1b2c", "invalid-hex"),
            ("a1b2c3d", "invalid-hex"), ("a1b2cg", "invalid-hex"), ("+1b2c3", "invalid-hex"), (" 1b2c3", "invalid-hex"),
            ("１b2c3", "invalid-hex"), ("a1b2c\u{301}3", "invalid-hex"),
        ])
    func badHex(text: String, code: String) {
        let error = TunnelProtocolError(.init(rawValue: code), reason: "")
        #expect(throws: error) { try RoutingID(hex: text) }
        #expect(throws: error) { try TunnelID(hex: text) }
    }

    @Test("is drawn anew each time")
    func random() throws {
        #expect(TunnelID.random() != TunnelID.random())
    }
}

@Suite("A contact ID")
struct ContactIDTests {
    private let wrongLength = TunnelProtocolError(.wrongLength, reason: "")

    @Test("has 1 to 4096 bytes", arguments: [(0, false), (1, true), (4096, true), (4097, false)])
    func lengths(count: Int, isGood: Bool) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect((try? ContactID(bytes))?.bytes == (isGood ? bytes : nil))
        if !isGood { #expect(throws: wrongLength) { try ContactID(bytes) } }
    }

    @Test("travels as base64url without padding", arguments: Array(1...70) + [4095, 4096])
    func base64(count: Int) throws {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
        let text = try ContactID(bytes).base64URL
        let expected = Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        #expect(text == expected)
        #expect(try ContactID(base64URL: text).bytes == bytes)
    }

    @Test(
        "is refused in any other form",
        arguments: [
            ("QQ==", "invalid-base64"), ("QQ=", "invalid-base64"), ("Q", "invalid-base64"), ("QR", "invalid-base64"),
            ("QUJDR", "invalid-base64"), ("Q+", "invalid-base64"), ("Q/", "invalid-base64"), ("Q Q", "invalid-base64"),
            ("ＱＱ", "invalid-base64"), ("", "wrong-length"), ("A/../new", "invalid-base64"),
        ])
    func badBase64(text: String, code: String) {
        #expect(throws: TunnelProtocolError(.init(rawValue: code), reason: "")) { try ContactID(base64URL: text) }
    }

    @Test("is refused before it is read if it is too long")
    func longBase64() {
        for text in [String(repeating: "?", count: 1 << 20), String(repeating: "A", count: 5463)] {
            #expect(throws: wrongLength) { try ContactID(base64URL: text) }
        }
    }
}
