/// Padding of a message before it is sealed, to hide its length (HT-FRM-1).
///
///     message || zeros || count of the zeros, 1 byte
public enum Padding {
    /// The block that a padded length is a multiple of: 32 bytes (HT-FRM-2).
    public static let blockByteCount = 32
    static let countByteCount = 1

    /// The length of a padded message.
    public static func paddedByteCount(_ byteCount: Int) -> Int {
        (byteCount / blockByteCount + 1) * blockByteCount
    }

    /// Pads a message in place to the next multiple of 32 bytes.
    public static func pad(_ message: inout [UInt8]) {
        let paddingByteCount = paddedByteCount(message.count) - message.count
        message.append(addingCapacity: paddingByteCount) { append(paddingByteCount, to: &$0) }
    }

    /// Appends padding of 1 to 32 bytes: zeros, then their count.
    static func append(_ paddingByteCount: Int, to message: inout OutputSpan<UInt8>) {
        let zeroCount = paddingByteCount - countByteCount
        message.append(repeating: 0, count: zeroCount)
        message.append(UInt8(truncatingIfNeeded: zeroCount))
    }

    /// Takes the padding off in place (HT-FRM-3).
    ///
    /// Any length and any count that fits are taken: libwebauthn's plaintexts are one byte longer than a multiple of
    /// 32, and Chromium looks neither at the length nor at the zeros (HT-FRM-6, HT-FRM-7, HT-FRM-8, HT-FRM-9).
    ///
    /// - Throws: `empty` if there is not even a count (HT-FRM-4); `badPadding` if the count is larger than what is
    ///   there (HT-FRM-5).
    public static func unpad(_ padded: inout [UInt8]) throws(HybridProtocolError) {
        guard let zeroCount = padded.last else {
            throw HybridProtocolError(.empty, reason: "a sealed message holds at least its padding count")
        }
        let paddingByteCount = Int(zeroCount) + countByteCount
        guard paddingByteCount <= padded.count else {
            throw HybridProtocolError(.badPadding, reason: "the padding count is larger than the message")
        }
        padded.removeLast(paddingByteCount)
    }
}
