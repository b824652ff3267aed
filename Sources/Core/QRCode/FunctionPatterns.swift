/// The modules that are the same in all symbols of a version: finder, separator, timing and alignment patterns, the
/// version information; and the encoding region, which they and the format information leave.
///
/// Source: ISO/IEC 18004, 6.3, and 7.10. All of it is its own mirror image along the main diagonal, so that a row
/// of it is also the column with the same number.
struct FunctionPatterns<Row: ModuleRow> {
    /// The dark modules of each row, or column.
    private(set) var dark: [Row]
    /// The modules of each row, or column, that codewords may use: the encoding region.
    private(set) var free: [Row]
    private let size: Int

    init(_ version: Version) {
        size = version.size
        dark = Array(repeating: .light, count: size)
        free = Array(repeating: .dark(size), count: size)
        drawFinderPatterns()
        drawTimingPatterns()
        drawAlignmentPatterns(centres: version.alignmentCentres)
        if version.carriesVersionInformation { draw(VersionInformation(version)) }
    }

    /// 6.3.3 and 6.3.4, with the room for format information (7.9) beside them.
    private mutating func drawFinderPatterns() {
        let picture: [UInt64] = [0b1111111, 0b1000001, 0b1011101, 0b1011101, 0b1011101, 0b1000001, 0b1111111]
        let width = picture.count
        let near = width + 2  // pattern, separator, format information
        let far = size - width - 1  // separator and pattern, the format information beside them in another line
        for index in 0..<near {
            draw(0, width: near, x: 0, y: index)
            draw(0, width: size - far, x: far, y: index)
        }
        for index in far..<size { draw(0, width: near, x: 0, y: index) }
        for (index, modules) in picture.enumerated() {
            draw(modules, width: width, x: 0, y: index)
            draw(modules, width: width, x: far + 1, y: index)
            draw(modules, width: width, x: 0, y: far + 1 + index)
        }
    }

    /// 6.3.5: between the finder patterns, in row and column 6, the modules at even places dark.
    private mutating func drawTimingPatterns() {
        let line = 6
        for index in 8..<size - 8 {
            let module: UInt64 = index % 2 == 0 ? 1 : 0
            draw(module, width: 1, x: line, y: index)
            draw(module, width: 1, x: index, y: line)
        }
    }

    /// 6.3.6 and Annex E: at all crossings of the centre lines but the three in the finder patterns.
    private mutating func drawAlignmentPatterns(centres: [Int]) {
        let picture: [UInt64] = [0b11111, 0b10001, 0b10101, 0b10001, 0b11111]
        let radius = picture.count / 2
        guard let first = centres.first, let last = centres.last else { return }
        for y in centres {
            for x in centres where !(x == first && y == first || x == first && y == last || x == last && y == first) {
                for (index, modules) in picture.enumerated() {
                    draw(modules, width: picture.count, x: x - radius, y: y - radius + index)
                }
            }
        }
    }

    /// 7.10: a block beside the upper right finder pattern and its mirror image beside the lower left one.
    private mutating func draw(_ information: VersionInformation) {
        let near = size - VersionInformation.distanceFromEdge
        for index in 0..<VersionInformation.height {
            let modules = information.modules(ofRow: index)
            draw(modules, width: VersionInformation.width, x: near, y: index)
            for place in 0..<VersionInformation.width {
                draw(modules >> UInt64(place) & 1, width: 1, x: index, y: near + place)
            }
        }
    }

    /// Draws some modules of a row over the present ones, and takes them out of the encoding region.
    private mutating func draw(_ modules: UInt64, width: Int, x: Int, y: Int) {
        let place = Row.dark(width).behind(x)
        dark[y] = dark[y] & ~place | Row(modules).behind(x)
        free[y] = free[y] & ~place
    }
}
