/// Reads a message bit by bit, the most significant first; after its end come zeros.
struct BitReader {
    private let message: [UInt8]
    private var nextByte = 0
    /// The bits to come, the next one in the most significant place; zeros where no byte has been loaded.
    private var window: UInt64 = 0
    private var windowCount = 0

    init(_ message: [UInt8]) { self.message = message }

    /// The next bits, in the low end: 1…56 of them.
    @inline(__always)
    mutating func take(_ count: Int) -> UInt64 {
        if windowCount < count { refill() }
        let bits = window &>> UInt64(UInt64.bitWidth - count)
        window = window &<< UInt64(count)
        windowCount -= count
        return bits
    }

    private mutating func refill() {
        windowCount = max(0, windowCount)
        while windowCount <= UInt64.bitWidth - UInt8.bitWidth, nextByte < message.count {
            window |= UInt64(message[nextByte]) << UInt64(UInt64.bitWidth - UInt8.bitWidth - windowCount)
            windowCount += UInt8.bitWidth
            nextByte += 1
        }
    }
}
