/// The format information: the error-correction level and the mask, in fifteen bits, twice in the symbol.
///
/// Source: ISO/IEC 18004, 7.9.1 and Annex C.
struct FormatInformation {
    /// The fifteen bits, the mask of 7.9.1 applied.
    let bits: UInt32

    private static let generator: UInt32 = 0b101_0011_0111
    private static let mask: UInt32 = 0b101_0100_0001_0010
    private static let bitCount: UInt32 = 15
    private static let maskReferenceBitCount: UInt32 = 3

    /// The row and the column that the modules lie in.
    static let line = 8

    init(level: QRCode.ErrorCorrectionLevel, mask: QRCode.Mask) {
        let data = UInt32(level.rawValue) << Self.maskReferenceBitCount | UInt32(mask.rawValue)
        bits = appendingBCH(to: data, generator: Self.generator) ^ Self.mask
    }

    /// The modules of column 8 (Figure 25): bits 0…7 from above, past the timing pattern, bits 8…14 to below, and
    /// before these the one module that is always dark.
    func column<Row: ModuleRow>(size: Int) -> Row {
        let alwaysDark: UInt64 = 1
        return Self.near(bits) | Row(UInt64(bits >> 8) << 1 | alwaysDark).behind(size - Self.farCount)
    }

    /// The modules of row 8 (Figure 25): bits 14…7 from the left, past the timing pattern, bits 7…0 to the right.
    func row<Row: ModuleRow>(size: Int) -> Row {
        let reversed = (0..<Self.bitCount).reduce(UInt32(0)) { $0 << 1 | bits >> $1 & 1 }
        return Self.near(reversed) | Row(UInt64(reversed >> 7)).behind(size - Self.farCount)
    }

    /// The eight lowest bits at the near end of the line, module 6 left out for the timing pattern.
    private static func near<Row: ModuleRow>(_ bits: UInt32) -> Row {
        Row(UInt64(bits & 0b0011_1111 | bits << 1 & 0b1_1000_0000))
    }

    /// Modules at the far end of the line.
    private static let farCount = 8
}
