/// Bits in the order of the symbol's bit stream, the most significant first.
///
/// Source: ISO/IEC 18004, 7.4.1: "the most significant bit first" holds for all indicators and characters.
struct BitBuffer {
    /// All whole bytes so far.
    private(set) var bytes: [UInt8] = []
    /// The bits that do not fill a byte yet, in the low end.
    private var pending: UInt64 = 0
    /// Number of pending bits: 0…7 between calls.
    private var pendingCount = 0

    /// Bits of a codeword.
    static let bitsPerCodeword = 8

    init(byteCapacity: Int) { bytes.reserveCapacity(byteCapacity) }

    /// Bits so far.
    var bitCount: Int { bytes.count * Self.bitsPerCodeword + pendingCount }

    /// Appends the low `count` bits of a value: 0…56 bits.
    @inline(__always)
    mutating func append(_ value: UInt64, bitCount count: Int) {
        pending = pending &<< UInt64(count) | value
        pendingCount += count
        while pendingCount >= Self.bitsPerCodeword {
            pendingCount -= Self.bitsPerCodeword
            bytes.append(UInt8(truncatingIfNeeded: pending &>> UInt64(pendingCount)))
        }
    }
}
