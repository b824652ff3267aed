/// Bytes as hexadecimal digits, two for each byte, the most significant first. Source: RFC 4648 section 8.
package enum Hexadecimal {
    /// The letters that stand for 10 to 15.
    package enum Letters: Sendable {
        /// `a` to `f`.
        case lowerCase
        /// `A` to `F`.
        case upperCase
    }

    /// The number of digits of a byte: 2.
    package static let digitsPerByte = 2

    private static let bitsPerDigit: UInt8 = 4
    private static let lowDigitMask: UInt8 = 0x0F
    private static let firstLetterValue: UInt8 = 10
    private static let lowerCaseDigits = Array("0123456789abcdef".utf8)
    private static let upperCaseDigits = Array("0123456789ABCDEF".utf8)

    /// The digits of some bytes.
    package static func encode(_ bytes: some Sequence<UInt8>, _ letters: Letters = .lowerCase) -> String {
        let digits = letters == .lowerCase ? lowerCaseDigits : upperCaseDigits
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * digitsPerByte)
        for byte in bytes {
            text.append(digits[Int(byte >> bitsPerDigit)])
            text.append(digits[Int(byte & lowDigitMask)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text.
    ///
    /// - Parameters:
    ///   - text: two digits a byte.
    ///   - letters: the only letters that are taken; nil for both cases.
    /// - Returns: nil for an odd number of characters, or one that is not an ASCII hexadecimal digit.
    package static func decode(_ text: some StringProtocol, only letters: Letters? = nil) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: digitsPerByte) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / digitsPerByte)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character, letters) else { return nil }
            if let first = high.take() {
                bytes.append(first << bitsPerDigit | value)
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func value(of character: UInt8, _ letters: Letters?) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f") where letters != .upperCase:
            character - UInt8(ascii: "a") + firstLetterValue
        case UInt8(ascii: "A")...UInt8(ascii: "F") where letters != .lowerCase:
            character - UInt8(ascii: "A") + firstLetterValue
        default: nil
        }
    }
}
