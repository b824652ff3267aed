/// Padding of a first message of revision 0 (HT-MSG-42, HT-MSG-43): CBOR, zeros, and their count, little-endian.
enum Revision0Padding: Int, CaseIterable {
    /// Since Chrome 99: to a multiple of 512 bytes, the zeros counted in two.
    case of512Bytes = 512
    /// Before that: to a multiple of 256 bytes, the zeros counted in one.
    case of256Bytes = 256

    /// The length of the count, in bytes.
    var countByteCount: Int {
        switch self {
        case .of512Bytes: 2
        case .of256Bytes: 1
        }
    }

    /// The number of zeros that an encoded first message needs.
    func zeroCount(_ cbor: [UInt8]) -> Int {
        let remainder = (cbor.count + countByteCount) % rawValue
        return remainder == 0 ? 0 : rawValue - remainder
    }

    /// Pads an encoded first message.
    func padded(_ cbor: [UInt8]) -> [UInt8] {
        let count = zeroCount(cbor)
        return cbor + [UInt8](repeating: 0, count: count)
            + (0..<countByteCount).map { UInt8(truncatingIfNeeded: count >> (UInt8.bitWidth * $0)) }
    }
}
