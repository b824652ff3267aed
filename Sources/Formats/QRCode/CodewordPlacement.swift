/// The modules of a symbol without a mask and without format information, both as rows and as columns.
///
/// Source: ISO/IEC 18004, 7.7.3: the bits of the message fill the encoding region in strips two modules wide,
/// from the right edge to the left, upwards and downwards by turns, in each row the right module first. The
/// vertical timing pattern is no part of a strip.
struct UnmaskedSymbol<Row: ModuleRow> {
    let size: Int
    /// Dark modules by row.
    private(set) var rows: [Row] = []
    /// Dark modules by column.
    private(set) var columns: [Row]
    /// The encoding region, by row or by column: only its modules are masked.
    let free: [Row]

    init(version: Version, message: [UInt8]) {
        let patterns = FunctionPatterns<Row>(version)
        size = version.size
        free = patterns.free
        columns = patterns.dark
        place(message)
        rows = transposed(columns)
    }

    /// Fills the encoding region; the modules that the message leaves over carry zeros.
    private mutating func place(_ message: [UInt8]) {
        let timingColumn = 6
        var bits = BitReader(message)
        var upwards = true
        var right = size - 1
        while right > 0 {
            if right == timingColumn { right -= 1 }
            let left = right - 1
            let (freeOnRight, freeOnLeft) = (free[right], free[left])
            var (darkOnRight, darkOnLeft) = (columns[right], columns[left])
            for step in 0..<size {
                let y = upwards ? size - 1 - step : step
                darkOnRight = darkOnRight | Row(bits.next(freeOnRight.bit(y))).behind(y)
                darkOnLeft = darkOnLeft | Row(bits.next(freeOnLeft.bit(y))).behind(y)
            }
            (columns[right], columns[left]) = (darkOnRight, darkOnLeft)
            upwards.toggle()
            right -= 2
        }
    }
}

extension ModuleRow {
    /// One module: 1 if it is dark, otherwise 0.
    @inline(__always)
    fileprivate func bit(_ index: Int) -> UInt64 { ahead(index).word(0) & 1 }
}
