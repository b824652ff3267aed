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
    private(set) var columns: [Row]
    /// The encoding region, by row or by column: only its modules are masked.
    let free: [Row]

    init(version: Version, message: [UInt8]) {
        let patterns = FunctionPatterns<Row>(version)
        size = version.size
        rows = patterns.dark
        columns = patterns.dark
        free = patterns.free

        let timingColumn = 6
        var bits = BitReader(message)
        var right = size - 1
        var upwards = true
        while right > 0 {
            if right == timingColumn { right -= 1 }
            for step in 0..<size { place(&bits, row: upwards ? size - 1 - step : step, right: right) }
            upwards.toggle()
            right -= 2
        }
    }

    /// Fills what is free of the two modules of a strip in one row; what the message leaves over stays light.
    @inline(__always)
    private mutating func place(_ bits: inout BitReader, row: Int, right: Int) {
        let left = right - 1
        if free[row][right], bits.next() { draw(x: right, y: row) }
        if free[row][left], bits.next() { draw(x: left, y: row) }
    }

    private mutating func draw(x: Int, y: Int) {
        rows[y] = rows[y] | Row(1).behind(x)
        columns[x] = columns[x] | Row(1).behind(y)
    }
}

/// Reads a message bit by bit, the most significant first; after the end come zeros.
struct BitReader {
    private let message: [UInt8]
    private var position = 0

    init(_ message: [UInt8]) { self.message = message }

    mutating func next() -> Bool {
        let (byte, bit) = position.quotientAndRemainder(dividingBy: UInt8.bitWidth)
        guard byte < message.count else { return false }
        position += 1
        return message[byte] << UInt8(bit) & 0x80 != 0
    }
}
