import Foundation
import HybridProtocol
import Testing

/// The names of a link (PROTOCOL.md 5.1, 7.4).
@Suite("The names of a link")
struct LinkIdentifiersTests {
    @Test("have their lengths", arguments: [0, 7, 8, 9, 15, 16, 17])
    func lengths(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(refusal { _ = try LinkID(bytes) } == (count == 8 ? nil : .wrongLength))
        #expect(refusal { _ = try ClientNonce(bytes) } == (count == 16 ? nil : .wrongLength))
    }

    @Test("of a contact may have 1 to 4096 bytes", arguments: [(0, false), (1, true), (4096, true), (4097, false)])
    func contactLength(count: Int, isGood: Bool) {
        #expect(
            refusal { _ = try ContactID([UInt8](repeating: 1, count: count)) } == (isGood ? nil : .wrongLength))
    }

    @Test("of a contact travel as base64url without padding, as Foundation writes it but for three characters")
    func base64() throws {
        var random = SystemRandomNumberGenerator()
        for count in Array(1...70) + [4095, 4096] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = try ContactID(bytes).base64URL
            let expected = Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
            #expect(text == expected)
            #expect(try ContactID(base64URL: text).bytes == bytes)
        }
    }

    @Test(
        "of a contact are refused in any other form",
        arguments: [
            ("QQ==", "invalid-base64"), ("QQ=", "invalid-base64"), ("Q", "invalid-base64"), ("QR", "invalid-base64"),
            ("QUJDR", "invalid-base64"), ("Q+", "invalid-base64"), ("Q/", "invalid-base64"), ("Q Q", "invalid-base64"),
            ("ＱＱ", "invalid-base64"), ("", "wrong-length"), ("A/../new", "invalid-base64"),
        ])
    func badBase64(text: String, code: String) {
        #expect(refusal { _ = try ContactID(base64URL: text) }?.rawValue == code)
    }

    @Test("of a contact are refused before they are read if they are too long")
    func longBase64() {
        #expect(refusal { _ = try ContactID(base64URL: String(repeating: "?", count: 1 << 20)) } == .wrongLength)
        #expect(refusal { _ = try ContactID(base64URL: String(repeating: "A", count: 5463)) } == .wrongLength)
    }

    @Test("of a link travel as hexadecimal digits of either case")
    func hex() throws {
        let linkID = try LinkID(hex: "00FFaB0123456789")
        #expect(linkID.hex == "00ffab0123456789")
        #expect(refusal { _ = try LinkID(hex: "00ff") } == .wrongLength)
        #expect(refusal { _ = try LinkID(hex: "00ffab01234567g9") } == .invalidHex)
    }

    @Test("of a contact stand in the tunnel's URL")
    func url() throws {
        let contactID = try ContactID([0xfb, 0xff, 0xfe])
        #expect(
            TunnelURL.contact(contactID, at: try TunnelURL.Service(.google)).text
                == "wss://cable.ua5v.com/cable/contact/-__-")
    }
}
