/// A symbol complete with mask and format information, line by line.
///
/// Source: ISO/IEC 18004, 7.8.1 and 7.9.
struct MaskedSymbol<Row: ModuleRow> {
    private let symbol: UnmaskedSymbol<Row>
    private let mask: QRCode.Mask
    /// The format information in row 8 and in column 8.
    private let formatRow: Row
    private let formatColumn: Row
    private let maskLines = Row.maskLines

    var size: Int { symbol.size }

    init(_ symbol: UnmaskedSymbol<Row>, level: QRCode.ErrorCorrectionLevel, mask: QRCode.Mask) {
        self.symbol = symbol
        self.mask = mask
        let format = FormatInformation(level: level, mask: mask)
        formatRow = format.row(size: symbol.size)
        formatColumn = format.column(size: symbol.size)
    }

    /// The dark modules of a row.
    func row(_ index: Int) -> Row {
        let masked = symbol.rows[index] ^ maskLines.row(index, of: mask) & symbol.free[index]
        return masked | Self.format(of: index, along: formatRow, across: formatColumn)
    }

    /// The dark modules of a column.
    func column(_ index: Int) -> Row {
        let masked = symbol.columns[index] ^ maskLines.column(index, of: mask) & symbol.free[index]
        return masked | Self.format(of: index, along: formatColumn, across: formatRow)
    }

    /// The format information in one line: all of it in line 8, one module of it in the lines across.
    private static func format(of index: Int, along: Row, across: Row) -> Row {
        let line = FormatInformation.line
        return index == line ? along : (across.ahead(index) & Row(1)).behind(line)
    }
}

extension UnmaskedSymbol {
    /// The symbol with a mask, or with that of the least penalty; of equals, the first (7.8.3).
    ///
    /// - Returns: The mask and the rows, as many words each as the size needs.
    func masked(level: QRCode.ErrorCorrectionLevel, mask: QRCode.Mask?) -> (QRCode.Mask, words: [UInt64]) {
        let mask = mask ?? mildestMask(level: level)
        let symbol = MaskedSymbol(self, level: level, mask: mask)
        let wordsPerRow = (size + UInt64.bitWidth - 1) / UInt64.bitWidth
        var words: [UInt64] = []
        words.reserveCapacity(size * wordsPerRow)
        for index in 0..<size {
            let row = symbol.row(index)
            for word in 0..<wordsPerRow { words.append(row.word(word)) }
        }
        return (mask, words)
    }

    private func mildestMask(level: QRCode.ErrorCorrectionLevel) -> QRCode.Mask {
        var mildest = QRCode.Mask.pattern0
        var least = Int.max
        for mask in QRCode.Mask.allCases {
            let score = Penalty.score(of: MaskedSymbol(self, level: level, mask: mask))
            if score < least { (mildest, least) = (mask, score) }
        }
        return mildest
    }
}
