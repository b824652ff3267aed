import HybridProtocol
import Testing

/// The names of a link (HT-LNK-3, HT-TUN-13).
@Suite("The names of a link")
struct LinkIdentifiersTests {
    @Test("have their lengths", arguments: [0, 7, 8, 9, 15, 16, 17])
    func lengths(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(refusal { _ = try LinkID(bytes) } == (count == 8 ? nil : .wrongLength))
        #expect(refusal { _ = try ClientNonce(bytes) } == (count == 16 ? nil : .wrongLength))
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
            TunnelURL.contact(contactID, at: TunnelURL.Service(.google)).text
                == "wss://cable.ua5v.com/cable/contact/-__-")
    }
}
