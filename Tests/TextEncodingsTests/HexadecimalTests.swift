import Encodings
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    static let pairs: [(String, String)] = [
        ("", ""), ("f", "66"), ("fo", "666F"), ("foo", "666F6F"), ("foobar", "666F6F626172"),
    ]

    @Test("The vectors of RFC 4648 section 10", arguments: pairs)
    func vectors(plain: String, text: String) {
        #expect(Hexadecimal.encode(plain.utf8, .upperCase) == text)
        #expect(Hexadecimal.encode(plain.utf8) == text.lowercased())
        #expect(Hexadecimal.decode(text) == [UInt8](plain.utf8))
    }

    @Test("Every byte survives, in either case")
    func roundTrip() {
        let all = [UInt8](0...255)
        for letters in [Hexadecimal.Letters.lowerCase, .upperCase] {
            let text = Hexadecimal.encode(all, letters)
            #expect(Hexadecimal.decode(text) == all)
            #expect(Hexadecimal.decode(text, only: letters) == all)
        }
    }

    @Test("Letters of the other case are refused where only one is taken")
    func letterCase() {
        #expect(Hexadecimal.decode("aB") == [0xAB])
        #expect(Hexadecimal.decode("aB", only: .lowerCase) == nil)
        #expect(Hexadecimal.decode("aB", only: .upperCase) == nil)
        #expect(Hexadecimal.decode("09", only: .lowerCase) == [9])
    }

    @Test("Anything else is refused", arguments: ["0", "000", "0g", "G0", " 00", "0x00", "+1", "-1", "００", "0\0"])
    func refused(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
