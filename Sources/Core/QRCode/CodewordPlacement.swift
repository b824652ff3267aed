/// The modules of a symbol without a mask and without format information, both as rows and as columns.
///
/// Source: ISO/IEC 18004, 7.7.3: the bits of the message fill the encoding region in strips two modules wide,
/// from the right edge to the left, upwards and downwards by turns, in each row the right module first. The
/// vertical timing pattern is not part of a strip.
struct UnmaskedSymbol<Row: ModuleRow> {
    let size: Int
    /// Dark modules by row.
    private(set) var rows: [Row]
    /// Dark modules by column.
    private(set) var columns: [Row]
    /// The encoding region, by row or by column: only its modules are masked.
    let free: [Row]

    init(version: Version, message: [UInt8]) {
        let patterns = FunctionPatterns<Row>(version)
        size = version.size
        free = patterns.free
        (rows, columns) = (patterns.dark, patterns.dark)
        place(message)
    }

    /// Fills the encoding region; the modules that the message leaves over carry zeros.
    private mutating func place(_ message: [UInt8]) {
        let timingColumn = 6
        var bits = BitReader(message)
        var upwards = true
        var right = size - 1
        while right > 0 {
            if right == timingColumn { right -= 1 }
            for step in 0..<size {
                let y = upwards ? size - 1 - step : step
                place(&bits, x: right, y: y)
                place(&bits, x: right - 1, y: y)
            }
            upwards.toggle()
            right -= 2
        }
    }

    /// Places the next bit in a module, if that is of the encoding region.
    private mutating func place(_ bits: inout BitReader, x: Int, y: Int) {
        guard free[x][y] else { return }
        let bit = bits.next()
        rows[y] = rows[y] | Row(bit).behind(x)
        columns[x] = columns[x] | Row(bit).behind(y)
    }
}

/// Reads a message bit by bit, the most significant first; after its end come zeros.
struct BitReader {
    private let message: [UInt8]
    private var index = 0

    init(_ message: [UInt8]) { self.message = message }

    /// The next bit.
    mutating func next() -> UInt64 {
        let (byte, bit) = index.quotientAndRemainder(dividingBy: UInt8.bitWidth)
        index += 1
        return byte < message.count ? UInt64(message[byte] >> (7 - bit) & 1) : 0
    }
}
