import Encodings
import Foundation
import Testing

@Suite("Base64url")
struct Base64URLTests {
    static let pairs: [(String, String)] = [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("The vectors of RFC 4648 section 10, without padding", arguments: pairs)
    func vectors(plain: String, text: String) {
        #expect(Base64URL.encode(plain.utf8) == text)
        #expect(Base64URL.decode(text) == [UInt8](plain.utf8))
        #expect(Base64URL.characterCount(ofBytes: plain.utf8.count) == text.utf8.count)
    }

    @Test("Every byte survives, also those that need the URL alphabet's own characters")
    func roundTrip() throws {
        let all = [UInt8](0...255)
        for count in all.indices {
            let bytes = [UInt8](all.suffix(count))
            let foundation = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            #expect(Base64URL.encode(bytes) == foundation)
            #expect(Base64URL.decode(foundation) == bytes)
        }
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "A", "AAAAA", "Zg==", "Zm8=", "+/8", "Zh", "Zm9", "A A", "AÄ", "AA\n", " AA", "A\0", "AB", "AAB", "AA=",
            "AA+/",
        ])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
