/// A symbol complete with mask and format information.
///
/// Source: ISO/IEC 18004, 7.8.1 and 7.9.
struct MaskedSymbol<Row: ModuleRow> {
    /// Dark modules by row.
    private(set) var rows: [Row]
    /// Dark modules by column.
    private(set) var columns: [Row]

    var size: Int { rows.count }

    init(_ symbol: UnmaskedSymbol<Row>, level: QRCode.ErrorCorrectionLevel, mask: QRCode.Mask) {
        rows = Self.masked(symbol.rows, with: Row.maskLines.rows(of: mask), where: symbol.free)
        columns = Self.masked(symbol.columns, with: Row.maskLines.columns(of: mask), where: symbol.free)
        draw(FormatInformation(level: level, mask: mask))
    }

    /// Lines of which the modules in the encoding region are inverted where a mask says so.
    private static func masked(_ lines: [Row], with maskLines: [Row], where free: [Row]) -> [Row] {
        var masked = lines
        var maskLine = 0
        for index in masked.indices {
            masked[index] = masked[index] ^ maskLines[maskLine] & free[index]
            maskLine = maskLine + 1 == maskLines.count ? 0 : maskLine + 1
        }
        return masked
    }

    /// Draws row 8 and column 8 into the rows, and likewise into the columns.
    private mutating func draw(_ format: FormatInformation) {
        let line = FormatInformation.line
        let (row, column): (Row, Row) = (format.row(size: size), format.column(size: size))
        rows[line] = rows[line] | row
        columns[line] = columns[line] | column
        for index in 0..<size where index < line || index >= size - line {
            rows[index] = rows[index] | (column.ahead(index) & Row(1)).behind(line)
            columns[index] = columns[index] | (row.ahead(index) & Row(1)).behind(line)
        }
    }
}

extension UnmaskedSymbol {
    /// The symbol with a mask, or with that of the least penalty; of equals, the first (7.8.3).
    ///
    /// - Returns: the mask and the rows, as many words each as the size needs.
    func masked(level: QRCode.ErrorCorrectionLevel, mask: QRCode.Mask?) -> (QRCode.Mask, words: [UInt64]) {
        let (mask, symbol) = mask.map { ($0, MaskedSymbol(self, level: level, mask: $0)) } ?? mildest(level: level)
        let wordsPerRow = (size + UInt64.bitWidth - 1) / UInt64.bitWidth
        var words: [UInt64] = []
        words.reserveCapacity(size * wordsPerRow)
        for row in symbol.rows {
            for word in 0..<wordsPerRow { words.append(row.word(word)) }
        }
        return (mask, words)
    }

    private func mildest(level: QRCode.ErrorCorrectionLevel) -> (QRCode.Mask, MaskedSymbol<Row>) {
        var mildest = (QRCode.Mask.pattern0, MaskedSymbol(self, level: level, mask: .pattern0))
        var least = Penalty.score(of: mildest.1)
        for mask in QRCode.Mask.allCases.dropFirst() {
            let symbol = MaskedSymbol(self, level: level, mask: mask)
            let score = Penalty.score(of: symbol)
            if score < least { (mildest, least) = ((mask, symbol), score) }
        }
        return mildest
    }
}
