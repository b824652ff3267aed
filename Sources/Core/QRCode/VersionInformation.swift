/// The version number, in eighteen bits, twice in symbols from version 7 on.
///
/// Source: ISO/IEC 18004, 7.10 and Annex D.
struct VersionInformation {
    let bits: UInt32

    private static let generator: UInt32 = 0b1_1111_0010_0101

    init(_ version: Version) { bits = appendingBCH(to: UInt32(version.number), generator: Self.generator) }

    /// The three modules, from `size - 11` on, of row 0…5; the block beside the lower left finder pattern is the
    /// same with rows and columns exchanged.
    func modules(ofRow row: Int) -> UInt64 { UInt64(bits >> UInt32(row * Self.width) & 0b111) }

    static let width = 3
    static let height = 6
    /// Modules from the far edge of the symbol to the near edge of the block.
    static let distanceFromEdge = 11
}
