/// Base64 with the alphabet for URLs and file names, without padding.
///
/// Each byte string has one text. Source: RFC 4648 sections 3.2, 3.5 and 5; WebAuthn Level 3 section 3.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let bitsPerCharacter = 6
    private static let characterMask: UInt32 = 0b11_1111

    /// The number of characters of so many bytes.
    package static func characterCount(ofBytes byteCount: Int) -> Int {
        (byteCount * UInt8.bitWidth + bitsPerCharacter - 1) / bitsPerCharacter
    }

    /// The text of some bytes: four characters for three bytes.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // Bytes of a known kind, because a sequence of any kind takes ten times as long.
        let bytes = Array(bytes)
        var text: [UInt8] = []
        text.reserveCapacity(characterCount(ofBytes: bytes.count))
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << UInt8.bitWidth | UInt32(byte)
            bitCount += UInt8.bitWidth
            while bitCount >= bitsPerCharacter {
                bitCount -= bitsPerCharacter
                text.append(alphabet[Int(bits >> bitCount & characterMask)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << (bitsPerCharacter - bitCount) & characterMask)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text.
    ///
    /// - Returns: nil for a character of another alphabet, a length that no bytes have, or unused bits that are not
    ///   zero.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * bitsPerCharacter / UInt8.bitWidth)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = bits << bitsPerCharacter | value
            bitCount += bitsPerCharacter
            if bitCount >= UInt8.bitWidth {
                bitCount -= UInt8.bitWidth
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        let unusedBits = bits & (1 << bitCount - 1)
        return bitCount < bitsPerCharacter && unusedBits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
