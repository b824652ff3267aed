@testable import QRCode

/// Reads a perfect symbol, module by module, as ISO/IEC 18004 describes it with none of the encoder's code but Table 9:
/// a symbol that it reads was written by the standard, not by habit.
struct SymbolReader {
    let version: Int
    let level: QRCode.ErrorCorrectionLevel
    let mask: UInt8
    let contents: [UInt8]

    /// A fault of a symbol.
    struct Flaw: Error, CustomStringConvertible {
        let description: String
    }

    init(_ code: QRCode) throws {
        let side = code.size
        version = (side - 17) / 4
        guard (1...40).contains(version), version * 4 + 17 == side else { throw Flaw(description: "size \(side)") }
        let format = try Self.format(of: code)
        guard let level = QRCode.ErrorCorrectionLevel(rawValue: UInt8(format >> 3)) else {
            throw Flaw(description: "level")
        }
        self.level = level
        mask = UInt8(format & 7)
        try Self.checkFunctionPatterns(of: code, version: version)
        let codewords = Self.codewords(of: code, version: version, mask: mask)
        let data = try Self.data(in: codewords, version: version, level: level)
        contents = try SegmentReader.contents(of: data, version: version)
    }

    /// The five data bits of the format information, of which both copies must be one of the 32 valid words.
    private static func format(of code: QRCode) throws -> Int {
        let side = code.size
        let first = [
            (8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 7), (8, 8), (7, 8), (5, 8), (4, 8), (3, 8), (2, 8),
            (1, 8),
            (0, 8),
        ]
        let second = (0..<8).map { (side - 1 - $0, 8) } + (8..<15).map { (8, side - 15 + $0) }
        let words = [first, second].map { places in
            places.enumerated().reduce(0) { $0 | (code[$1.element.0, $1.element.1] ? 1 : 0) << $1.offset }
        }
        guard words[0] == words[1] else { throw Flaw(description: "the format copies differ") }
        guard let data = PublishedTables.formatWords.firstIndex(of: words[0]) else {
            throw Flaw(description: "no format word")
        }
        guard code[8, side - 8] else { throw Flaw(description: "the dark module is light") }
        return data
    }

    private static func checkFunctionPatterns(of code: QRCode, version: Int) throws {
        let side = code.size
        for (left, top) in [(0, 0), (side - 7, 0), (0, side - 7)] {
            for y in -1...7 {
                for x in -1...7 {
                    let ring = max(abs(x - 3), abs(y - 3))
                    guard code[left + x, top + y] == (ring != 2 && ring != 4) else {
                        throw Flaw(description: "finder pattern at \(left),\(top)")
                    }
                }
            }
        }
        for index in 8..<side - 8 where code[index, 6] != (index % 2 == 0) || code[6, index] != (index % 2 == 0) {
            throw Flaw(description: "timing pattern at \(index)")
        }
        for (centreX, centreY) in alignmentCentres(of: version) {
            for y in -2...2 {
                for x in -2...2 where code[centreX + x, centreY + y] != (max(abs(x), abs(y)) != 1) {
                    throw Flaw(description: "alignment pattern at \(centreX),\(centreY)")
                }
            }
        }
        guard version >= 7 else { return }
        for index in 0..<18 {
            let bit = PublishedTables.versionWords[version - 7] >> index & 1 == 1
            guard code[index / 3, side - 11 + index % 3] == bit, code[side - 11 + index % 3, index / 3] == bit else {
                throw Flaw(description: "version information, bit \(index)")
            }
        }
    }

    private static func alignmentCentres(of version: Int) -> [(Int, Int)] {
        let line = PublishedTables.alignmentLines[version - 1]
        guard let last = line.last else { return [] }
        return line.flatMap { y in line.map { x in (x, y) } }
            .filter { $0 != (6, 6) && $0 != (6, last) && $0 != (last, 6) }
    }

    private static func isFunctionModule(_ x: Int, _ y: Int, version: Int, aligning: Set<Int>) -> Bool {
        let side = version * 4 + 17
        if x == 6 || y == 6 { return true }
        if x < 9, y < 9 || y >= side - 8 { return true }
        if y < 9, x >= side - 8 { return true }
        if version >= 7, x < 6 && y >= side - 11 || y < 6 && x >= side - 11 { return true }
        return aligning.contains(y * side + x)
    }

    private static func codewords(of code: QRCode, version: Int, mask: UInt8) -> [UInt8] {
        let aligning = Set(
            alignmentCentres(of: version).flatMap { x, y in
                (y - 2...y + 2).flatMap { y in (x - 2...x + 2).map { x in y * code.size + x } }
            })
        var bits: [Bool] = []
        var strip = 0
        for right in stride(from: code.size - 1, to: 0, by: -2) {
            let right = right <= 6 ? right - 1 : right
            for step in 0..<code.size {
                let y = strip % 2 == 0 ? code.size - 1 - step : step
                for x in [right, right - 1]
                where x >= 0 && !isFunctionModule(x, y, version: version, aligning: aligning) {
                    bits.append(code[x, y] != isMasked(row: y, column: x, mask: mask))
                }
            }
            strip += 1
        }
        return (0..<bits.count / 8).map { index in
            bits[index * 8..<index * 8 + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    /// Table 10, with i the row and j the column.
    private static func isMasked(row i: Int, column j: Int, mask: UInt8) -> Bool {
        switch mask {
        case 0: (i + j) % 2 == 0
        case 1: i % 2 == 0
        case 2: j % 3 == 0
        case 3: (i + j) % 3 == 0
        case 4: (i / 2 + j / 3) % 2 == 0
        case 5: (i * j) % 2 + (i * j) % 3 == 0
        case 6: ((i * j) % 2 + (i * j) % 3) % 2 == 0
        default: ((i + j) % 2 + (i * j) % 3) % 2 == 0
        }
    }

    /// Takes the blocks apart and demands that each be a codeword: all its syndromes are zero.
    private static func data(in codewords: [UInt8], version: Int, level: QRCode.ErrorCorrectionLevel) throws -> [UInt8]
    {
        let structure = ErrorCorrectionBlocks(of: Version(number: version), at: level)
        let (perBlock, blockCount) = (structure.correctionCountPerBlock, structure.blockCount)
        let dataCount = codewords.count - perBlock * blockCount
        let shortCount = dataCount / blockCount
        let firstLong = blockCount - dataCount % blockCount
        var blocks = [[UInt8]](repeating: [], count: blockCount)
        var next = 0
        for index in 0...shortCount {
            for block in 0..<blockCount where index < shortCount || block >= firstLong {
                blocks[block].append(codewords[next])
                next += 1
            }
        }
        let data = blocks.flatMap { $0 }
        for _ in 0..<perBlock {
            for block in 0..<blockCount {
                blocks[block].append(codewords[next])
                next += 1
            }
        }
        for block in blocks {
            var root: UInt8 = 1
            for _ in 0..<perBlock {
                guard block.reduce(UInt8(0), { product($0, root) ^ $1 }) == 0 else {
                    throw Flaw(description: "a block has an error")
                }
                root = product(root, 2)
            }
        }
        return data
    }

    /// Multiplication in GF(2⁸) modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (product, left, right) = (UInt8(0), left, right)
        while right != 0 {
            if right & 1 == 1 { product ^= left }
            left = left << 1 ^ (left & 0x80 == 0 ? 0 : 0x1D)
            right >>= 1
        }
        return product
    }
}
