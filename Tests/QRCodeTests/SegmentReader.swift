/// Reads the segments in a symbol's data codewords: ISO/IEC 18004, 7.4.
enum SegmentReader {
    static func contents(of data: [UInt8], version: Int) throws -> [UInt8] {
        var bits: ArraySlice<Bool> = data.flatMap { byte in (UInt8(0)..<8).map { byte >> (7 - $0) & 1 == 1 } }[...]
        func take(_ count: Int) throws -> Int {
            guard bits.count >= count else { throw SymbolReader.Flaw(description: "the data end in mid-segment") }
            defer { bits = bits.dropFirst(count) }
            return bits.prefix(count).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let range = version < 10 ? 0 : version < 27 ? 1 : 2
        var contents: [UInt8] = []
        while bits.count >= 4 {
            switch try take(4) {
            case 0b0001:
                var left = try take([10, 12, 14][range])
                while left > 0 {
                    let digits = String(try take([0, 4, 7, 10][min(left, 3)]))
                    contents +=
                        Array(repeating: UInt8(ascii: "0"), count: min(left, 3) - digits.utf8.count) + digits.utf8
                    left -= min(left, 3)
                }
            case 0b0010:
                let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
                var left = try take([9, 11, 13][range])
                while left > 1 {
                    let pair = try take(11)
                    contents += [characters[pair / 45], characters[pair % 45]]
                    left -= 2
                }
                if left == 1 { contents.append(characters[try take(6)]) }
            case 0b0100:
                for _ in 0..<(try take([8, 16, 16][range])) { contents.append(UInt8(try take(8))) }
            case 0b0111:
                guard contents.isEmpty, try take(8) == 26 else { throw SymbolReader.Flaw(description: "ECI") }
            case 0: try checkPadding(Array(bits)); return contents
            case let other: throw SymbolReader.Flaw(description: "mode \(other)")
            }
        }
        return contents
    }

    /// After the terminator: zeros to the end of the byte, then 0xEC and 0x11 by turns.
    private static func checkPadding(_ bits: [Bool]) throws {
        let zeros = bits.prefix(bits.count % 8)
        let pads = Array(bits.dropFirst(zeros.count))
        let expected = (0..<pads.count).map { (($0 / 8 % 2 == 0 ? 0xEC : 0x11) >> (7 - $0 % 8)) & 1 == 1 }
        guard !zeros.contains(true), pads == expected else { throw SymbolReader.Flaw(description: "the padding") }
    }
}
