/// The modules of a symbol without a mask and without format information, both as rows and as columns.
///
/// Source: ISO/IEC 18004, 7.7.3: the bits of the message fill the encoding region in strips two modules wide,
/// from the right edge to the left, upwards and downwards by turns, in each row the right module first. The
/// vertical timing pattern is no part of a strip.
struct UnmaskedSymbol<Row: ModuleRow> {
    let size: Int
    /// Dark modules by row.
    private(set) var rows: [Row]
    /// Dark modules by column.
    private(set) var columns: [Row] = []
    /// The encoding region, by row or by column: only its modules are masked.
    let free: [Row]

    init(version: Version, message: [UInt8]) {
        let patterns = FunctionPatterns<Row>(version)
        size = version.size
        free = patterns.free
        rows = patterns.dark
        place(message)
        columns = transposed(rows)
    }

    /// Fills the encoding region; what the message leaves over stays light.
    private mutating func place(_ message: [UInt8]) {
        let timingColumn = 6
        var bits = BitReader(message)
        var upwards = true
        var right = size - 1
        while right > 0 {
            if right == timingColumn { right -= 1 }
            let left = right - 1
            for step in 0..<size {
                let y = upwards ? size - 1 - step : step
                let modules: UInt64 =
                    switch free[y].pair(at: left) {
                    case 0b11: bits.take(2)
                    case 0b10: bits.take(1) << 1
                    case 0b01: bits.take(1)
                    default: 0
                    }
                rows[y] = rows[y] | Row(modules).behind(left)
            }
            upwards.toggle()
            right -= 2
        }
    }
}

extension ModuleRow {
    /// Two modules: the first in the lowest bit, the one after it in the next.
    @inline(__always)
    fileprivate func pair(at index: Int) -> UInt64 { ahead(index).word(0) & 0b11 }
}
