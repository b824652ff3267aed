/// Reads a message bit by bit, the most significant first; after its end come zeros.
struct BitReader {
    private let message: [UInt8]
    private var index = 0

    init(_ message: [UInt8]) { self.message = message }

    /// The next bit.
    mutating func next() -> UInt64 {
        let (byte, bit) = index.quotientAndRemainder(dividingBy: UInt8.bitWidth)
        index += 1
        return byte < message.count ? UInt64(message[byte] >> (7 - bit) & 1) : 0
    }
}
