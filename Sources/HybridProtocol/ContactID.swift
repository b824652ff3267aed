/// By what name a tunnel service knows how to reach an authenticator for one client (PROTOCOL.md 5.1, 7.4).
///
/// It is opaque to the client: for Google's service a push token, for other services something else.
public struct ContactID: Sendable, Hashable {
    /// 1 to 4096 bytes.
    public let bytes: [UInt8]

    /// The most bytes that a contact ID is taken with: 4096. No document names a bound; push tokens have less than 400.
    public static let maximumByteCount = 4096

    /// Checks the length.
    ///
    /// - Throws: `wrongLength` unless there are 1 to 4096 bytes.
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        guard 1...Self.maximumByteCount ~= bytes.count else { throw .contactIDLength }
        self.bytes = bytes
    }

    /// Reads a contact ID as it stands in a tunnel's URL.
    ///
    /// - Parameter base64URL: base64url without padding (RFC 4648 section 5), in its one form: unused bits are zero.
    /// - Throws: `invalidBase64`, `wrongLength`.
    public init(base64URL: String) throws(HybridProtocolError) {
        guard base64URL.utf8.count <= Base64URL.digitCount(Self.maximumByteCount) else { throw .contactIDLength }
        guard let bytes = Base64URL.decode(base64URL) else {
            throw HybridProtocolError(.invalidBase64, reason: "a contact ID in a URL is base64url without padding")
        }
        try self.init(bytes)
    }

    /// The contact ID as it stands in a tunnel's URL: base64url without padding.
    public var base64URL: String { Base64URL.encode(bytes) }
}

extension HybridProtocolError {
    fileprivate static let contactIDLength = Self(
        .wrongLength, reason: "a contact ID has 1 to \(ContactID.maximumByteCount) bytes")
}

/// Base64 with the alphabet for URLs and without padding (RFC 4648 sections 3.2 and 5).
private enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let bitsPerDigit = 6
    private static let bitsPerByte = 8

    /// How many digits so many bytes take.
    static func digitCount(_ byteCount: Int) -> Int { (byteCount * bitsPerByte + bitsPerDigit - 1) / bitsPerDigit }

    static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(digitCount(bytes.count))
        regroup(bytes, from: bitsPerByte, to: bitsPerDigit) {
            digits.append(alphabet[Int($0)])
        } rest: { rest, count in
            if count > 0 { digits.append(alphabet[Int(rest << UInt32(bitsPerDigit - count))]) }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes; nil for another character, for a digit too many, and for unused bits that are not zero.
    static func decode(_ text: String) -> [UInt8]? {
        var values: [UInt8] = []
        values.reserveCapacity(text.utf8.count)
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            values.append(UInt8(value))
        }
        var bytes: [UInt8] = []
        var isWhole = true
        regroup(values, from: bitsPerDigit, to: bitsPerByte) {
            bytes.append(UInt8($0))
        } rest: { rest, count in
            isWhole = count < bitsPerDigit && rest == 0
        }
        return isWhole ? bytes : nil
    }

    /// Cuts a row of numbers of so many bits into numbers of other width, and says what is left: a value and its bits.
    private static func regroup(
        _ numbers: [UInt8], from: Int, to width: Int, _ emit: (UInt32) -> Void, rest: (UInt32, Int) -> Void
    ) {
        var buffer: UInt32 = 0
        var bitCount = 0
        for number in numbers {
            buffer = buffer << UInt32(from) | UInt32(number)
            bitCount += from
            while bitCount >= width {
                bitCount -= width
                emit(buffer >> UInt32(bitCount))
                buffer &= (1 << UInt32(bitCount)) - 1
            }
        }
        rest(buffer, bitCount)
    }
}
