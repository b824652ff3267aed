/// The modules of a QR code (ISO/IEC 18004), without its quiet zone.
struct ModuleMatrix {
    /// The modules of a side: version 1 has 21, version 40 has 177.
    static let sides = 21...177
    /// The light modules that a code needs on each side.
    static let quietZone = 4

    /// The modules of a side.
    let side: Int
    private let isDark: [Bool]

    /// Reads the rows, of `1` for dark and `0` for light; nil if they are not a square of one of the ``sides``.
    init?(rows: [String]) {
        guard Self.sides.contains(rows.count) else { return nil }
        var isDark: [Bool] = []
        for row in rows {
            guard row.utf8.count == rows.count else { return nil }
            for byte in row.utf8 {
                switch byte {
                case UInt8(ascii: "0"): isDark.append(false)
                case UInt8(ascii: "1"): isDark.append(true)
                default: return nil
                }
            }
        }
        side = rows.count
        self.isDark = isDark
    }

    /// The modules of a side with the quiet zone.
    var sideWithQuietZone: Int { side + 2 * Self.quietZone }

    /// The columns of the dark modules of a row.
    func darkColumns(ofRow row: Int) -> [Int] { (0..<side).filter { isDark[row * side + $0] } }
}
