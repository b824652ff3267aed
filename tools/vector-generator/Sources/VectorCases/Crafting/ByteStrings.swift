internal import Conformance

extension [UInt8] {
    /// The bytes in pieces of one length, of which the last may be shorter.
    func pieces(of byteCount: Int) -> [Self] {
        stride(from: 0, to: count, by: byteCount).map { Self(self[$0..<Swift.min($0 + byteCount, count)]) }
    }

    /// The bytes with the lowest bit of one of them turned over.
    ///
    /// - Parameter index: which byte; a negative one counts from the end.
    func flippingLowestBit(ofByte index: Int) -> Self {
        flipping(bit: UInt8.bitWidth * (index < 0 ? count + index : index))
    }
}
