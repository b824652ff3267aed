extension QRCode {
    /// One of the eight patterns that are added to the encoding region, so that it looks like nothing else.
    ///
    /// Source: ISO/IEC 18004, 7.8.2, Table 10; the raw value is the reference 000…111.
    public enum Mask: UInt8, Sendable, CaseIterable {
        /// Every other module, as on a chessboard.
        case pattern0
        /// Every other row.
        case pattern1
        /// Every third column.
        case pattern2
        /// Every third diagonal.
        case pattern3
        /// Blocks of two rows by three columns.
        case pattern4
        /// The modules where row × column is a multiple of 2 and of 3.
        case pattern5
        /// The modules where (row × column) mod 2 + (row × column) mod 3 is even.
        case pattern6
        /// The modules where (row + column) mod 2 + (row × column) mod 3 is even.
        case pattern7

        /// True if the pattern inverts a module (Table 10: the condition for a dark one).
        func inverts(row: Int, column: Int) -> Bool {
            switch self {
            case .pattern0: (row + column) % 2 == 0
            case .pattern1: row % 2 == 0
            case .pattern2: column % 3 == 0
            case .pattern3: (row + column) % 3 == 0
            case .pattern4: (row / 2 + column / 3) % 2 == 0
            case .pattern5: row * column % 2 + row * column % 3 == 0
            case .pattern6: (row * column % 2 + row * column % 3) % 2 == 0
            case .pattern7: ((row + column) % 2 + row * column % 3) % 2 == 0
            }
        }
    }
}

/// The mask patterns as whole rows and columns.
///
/// Every pattern repeats after twelve lines (after 2, 3, 4 or 6, in truth), so twelve of each say it all.
struct MaskLines<Row: ModuleRow>: Sendable {
    private let rows: [[Row]]
    private let columns: [[Row]]

    init() {
        rows = QRCode.Mask.allCases.map { mask in Self.lines { mask.inverts(row: $0, column: $1) } }
        columns = QRCode.Mask.allCases.map { mask in Self.lines { mask.inverts(row: $1, column: $0) } }
    }

    /// The modules that a mask inverts in the first twelve rows.
    func rows(of mask: QRCode.Mask) -> [Row] { rows[Int(mask.rawValue)] }

    /// The modules that a mask inverts in the first twelve columns.
    func columns(of mask: QRCode.Mask) -> [Row] { columns[Int(mask.rawValue)] }

    private static func lines(inverts: (_ line: Int, _ place: Int) -> Bool) -> [Row] {
        let period = 12
        return (0..<period).map { line in Row(darkWhere: { inverts(line, $0) }) }
    }
}
