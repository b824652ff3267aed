/// A declaration, before all segments, of the bytes' meaning.
///
/// Source: ISO/IEC 18004, 7.4.2. Bytes of which nothing is declared are ISO/IEC 8859-1 by the letter of the
/// standard.
enum ExtendedChannelInterpretation: UInt64 {
    /// UTF-8, by its assignment number.
    case utf8 = 26

    /// The mode indicator of Table 2.
    static let modeIndicator: UInt64 = 0b0111
    /// Bits of an assignment number up to 127 (Table 4).
    static let designatorBitCount = 8
    /// Bits of the whole declaration.
    static let bitCount = QRCode.Mode.indicatorBitCount + designatorBitCount
}

extension BitBuffer {
    mutating func append(_ interpretation: ExtendedChannelInterpretation) {
        append(ExtendedChannelInterpretation.modeIndicator, bitCount: QRCode.Mode.indicatorBitCount)
        append(interpretation.rawValue, bitCount: ExtendedChannelInterpretation.designatorBitCount)
    }
}
