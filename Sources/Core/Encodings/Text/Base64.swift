/// Base64 with its first alphabet and padding, as PEM, KDBX and KeePassDX have it (RFC 4648 section 4).
///
/// Each byte string has one text.
package enum Base64 {
    private static let charactersPerGroup = 4
    private static let padding = UInt8(ascii: "=")

    /// The text of some bytes: four characters for three bytes, the last ones padded.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = Base64URL.encode(bytes).utf8.map(first)
        while !text.count.isMultiple(of: charactersPerGroup) { text.append(padding) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text.
    ///
    /// - Returns: nil for a character of another alphabet, wrong padding, or unused bits that are not zero.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: charactersPerGroup) else { return nil }
        let unpadded = text.utf8.prefix { $0 != padding }
        let padded = text.utf8.count - unpadded.count
        guard padded <= 2, text.utf8.suffix(padded).allSatisfy({ $0 == padding }),
            !unpadded.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        return Base64URL.decode(String(decoding: unpadded.map(forURLs), as: UTF8.self))
    }

    private static func first(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: character
        }
    }

    private static func forURLs(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: character
        }
    }
}
