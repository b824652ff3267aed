/// The decimal digits in which a QR code carries bytes (CTAP 2.2 section 11.5.1).
///
/// Seven bytes at a time are read as a little-endian integer and written as 17 digits (HT-QR-5); a shorter last group
/// takes just as many digits as its largest value needs (HT-QR-6).
public enum QRDigits {
    /// The length of a whole group: 7 bytes.
    static let groupByteCount = 7
    /// The number of digits of a group, by its number of bytes.
    static let digitCounts = [0, 3, 5, 8, 10, 13, 15, 17]
    /// The most digits that one QR code can hold (ISO/IEC 18004, version 40-L, numeric): 7089. More are refused unread
    /// (HT-QR-10).
    public static let maximumDigitCount = 7089

    /// Writes bytes as digits.
    ///
    /// - Parameter bytes: any number of bytes.
    /// - Returns: ASCII digits; none for no bytes.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count * 17 / groupByteCount + 17)
        var start = 0
        while start < bytes.count {
            let end = min(start + groupByteCount, bytes.count)
            append(number(bytes.extracting(start..<end)), digitCount: digitCounts[end - start], to: &digits)
            start = end
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Reads digits back into bytes (HT-QR-7).
    ///
    /// - Parameter digits: ASCII digits only: signs, spaces and the digits of other scripts are refused.
    /// - Throws: `tooLong` above 7089 digits (HT-QR-10); `nonDigit` (HT-QR-4); `digitCount` (HT-QR-8); `digitRange`
    ///   (HT-QR-9).
    public static func decode(_ digits: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        guard digits.count <= maximumDigitCount else {
            throw HybridProtocolError(.tooLong, reason: "no QR code holds more than \(maximumDigitCount) digits")
        }
        for index in digits.indices where !ASCII.digits.contains(digits[index]) {
            throw HybridProtocolError(.nonDigit, reason: "character \(index) after the prefix is not a digit 0-9")
        }
        let wholeGroup = digitCounts[groupByteCount]
        guard digitCounts.contains(digits.count % wholeGroup) else {
            throw HybridProtocolError(.digitCount, reason: "\(digits.count) digits are not a whole number of bytes")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var start = 0
        while start < digits.count {
            let end = min(start + wholeGroup, digits.count)
            try appendGroup(digits.extracting(start..<end), at: start, to: &bytes)
            start = end
        }
        return bytes
    }

    private static func number(_ bytes: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for index in bytes.indices { value |= UInt64(bytes[index]) << UInt64(8 * index) }
        return value
    }

    private static func append(_ value: UInt64, digitCount: Int, to digits: inout [UInt8]) {
        var rest = value
        let start = digits.count
        digits.append(contentsOf: repeatElement(ASCII.zero, count: digitCount))
        for index in stride(from: start + digitCount - 1, through: start, by: -1) {
            digits[index] = ASCII.zero + UInt8(rest % 10)
            rest /= 10
        }
    }

    private static func appendGroup(
        _ digits: Span<UInt8>,
        at position: Int,
        to bytes: inout [UInt8]
    ) throws(HybridProtocolError) {
        let byteCount = digitCounts.firstIndex(of: digits.count) ?? 0
        // 17 digits at most, so that the value stays below 10^17 < 2^64.
        var value: UInt64 = 0
        for index in digits.indices { value = value * 10 + UInt64(digits[index] - ASCII.zero) }
        guard value >> UInt64(8 * byteCount) == 0 else {
            throw HybridProtocolError(
                .digitRange, reason: "the group at digit \(position) is too large for \(byteCount) bytes")
        }
        for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
}

/// The few characters that the protocol's texts are made of.
enum ASCII {
    static let zero = UInt8(ascii: "0")
    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    /// The bit by which a lower-case letter differs from its upper-case form.
    static let caseBit: UInt8 = 0x20
}
