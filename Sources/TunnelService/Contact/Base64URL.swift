/// The text form of a contact ID in a request's path (PROTOCOL.md 5.1): base64url without padding (RFC 4648 section 5).
enum Base64URL {
    private static let bitsPerCharacter = 6
    private static let firstLowerCase: UInt8 = 26
    private static let firstDigit: UInt8 = 52
    private static let hyphen: UInt8 = 62
    private static let underscore: UInt8 = 63

    /// Reads text.
    ///
    /// - Returns: `nil` for a character of another alphabet, a length that no bytes encode to, or bits left over that are
    ///   not zero: each byte string has one text.
    static func bytes(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt = 0
        var bitCount = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = bits << UInt(bitsPerCharacter) | UInt(value)
            bitCount += bitsPerCharacter
            guard bitCount >= UInt8.bitWidth else { continue }
            bitCount -= UInt8.bitWidth
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt(bitCount)))
            bits &= (1 << UInt(bitCount)) - 1
        }
        return bits == 0 && bitCount < bitsPerCharacter ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + firstLowerCase
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + firstDigit
        case UInt8(ascii: "-"): hyphen
        case UInt8(ascii: "_"): underscore
        default: nil
        }
    }
}
