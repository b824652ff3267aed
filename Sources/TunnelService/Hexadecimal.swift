/// Hexadecimal digits as they stand in a request's path (PROTOCOL.md 5.1): upper and lower case alike.
enum Hexadecimal {
    /// The digits of one byte.
    static let digitsPerByte = 2

    private static let bitsPerDigit: UInt8 = 4
    private static let lowNibble: UInt8 = 0x0F
    private static let firstLetterValue: UInt8 = 10
    private static let lowerCaseDigits = Array("0123456789abcdef".utf8)

    /// Reads exactly `byteCount` bytes.
    ///
    /// - Returns: `nil` if there are more or fewer digits, or anything that is no ASCII hexadecimal digit.
    static func bytes(_ text: Substring, count byteCount: Int) -> [UInt8]? {
        let characters = text.utf8
        guard characters.count == byteCount * digitsPerByte else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        var high: UInt8?
        for character in characters {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << bitsPerDigit | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Writes bytes in lower case.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var characters: [UInt8] = []
        for byte in bytes {
            characters.append(lowerCaseDigits[Int(byte >> bitsPerDigit)])
            characters.append(lowerCaseDigits[Int(byte & lowNibble)])
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + firstLetterValue
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + firstLetterValue
        default: nil
        }
    }
}
