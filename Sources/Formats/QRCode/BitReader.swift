/// Reads a message bit by bit, the most significant first; after its end come zeros.
struct BitReader {
    private let message: [UInt8]
    private var nextByte = 0
    /// The bits to come, the next one in the most significant place.
    private var window: UInt64 = 0
    /// Number of bits of the message in the window.
    private var windowCount: UInt64 = 0

    init(_ message: [UInt8]) { self.message = message }

    /// The next bit if `count` is 1; zero, and nothing read, if it is 0.
    ///
    /// Without a branch: no processor can predict if a bit is wanted, and its value.
    @inline(__always)
    mutating func next(_ count: UInt64) -> UInt64 {
        if windowCount == 0 { refill() }
        let bit = window &>> 63 & count
        window = window &<< count
        windowCount &-= count
        return bit
    }

    private mutating func refill() {
        windowCount = UInt64(UInt64.bitWidth)
        for _ in 0..<UInt64.bitWidth / UInt8.bitWidth {
            window = window << 8 | (nextByte < message.count ? UInt64(message[nextByte]) : 0)
            nextByte += 1
        }
    }
}
