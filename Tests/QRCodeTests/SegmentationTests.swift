import Testing

@testable import QRCode

@Suite("A segmentation")
struct SegmentationTests {
    /// The bits of the cheapest segmentation, from the definition alone: every segment, in every mode that can
    /// say it, from every place to every later one, its length by the formulas of ISO/IEC 18004, 7.4.
    static func fewestBits(_ contents: [UInt8], countBits: [QRCode.Mode: Int]) -> Int {
        var fewest = [0] + contents.map { _ in Int.max }
        for start in contents.indices {
            for mode in QRCode.Mode.allCases {
                for end in start + 1...contents.count {
                    guard canEncode(contents[end - 1], mode) else { break }
                    let bits = 4 + (countBits[mode] ?? 0) + length(of: end - start, mode)
                    fewest[end] = min(fewest[end], fewest[start] + bits)
                }
            }
        }
        return fewest[contents.count]
    }

    static func canEncode(_ byte: UInt8, _ mode: QRCode.Mode) -> Bool {
        switch mode {
        case .numeric: "0123456789".utf8.contains(byte)
        case .alphanumeric: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8.contains(byte)
        case .byte: true
        }
    }

    static func length(of count: Int, _ mode: QRCode.Mode) -> Int {
        switch mode {
        case .numeric: 10 * (count / 3) + [0, 4, 7][count % 3]
        case .alphanumeric: 11 * (count / 2) + 6 * (count % 2)
        case .byte: 8 * count
        }
    }

    /// Table 3.
    static let countBits: [(range: VersionRange, widths: [QRCode.Mode: Int])] = [
        (.small, [.numeric: 10, .alphanumeric: 9, .byte: 8]),
        (.middle, [.numeric: 12, .alphanumeric: 11, .byte: 16]),
        (.large, [.numeric: 14, .alphanumeric: 13, .byte: 16]),
    ]

    /// Compares the optimum with the definition, and the segments with both.
    static func check(_ contents: [UInt8]) {
        let runs = Run.all(in: contents.span)
        for (range, widths) in countBits {
            let optimum = Optimum(of: runs, in: range)
            let segments = optimum.segments(of: runs)
            let bits = segments.map { 4 + (widths[$0.mode] ?? 0) + length(of: $0.bytes.count, $0.mode) }.reduce(0, +)
            let isWhole = segments.flatMap { Array($0.bytes) } == Array(contents.indices)
            let isSayable = segments.allSatisfy { segment in
                contents[segment.bytes].allSatisfy { canEncode($0, segment.mode) }
            }
            let fewest = fewestBits(contents, countBits: widths)
            if !isWhole || !isSayable || bits != fewest || optimum.bitCount != fewest {
                Issue.record("\(contents) in \(range): \(segments) is \(bits) bits, \(fewest) would do")
            }
        }
    }

    @Test("of every text of up to seven characters, a digit, a capital and a small letter, is the shortest there is")
    func exhaustively() {
        let alphabet = Array("1Aa".utf8)
        for length in 1...7 {
            let textCount = (0..<length).reduce(1) { count, _ in count * alphabet.count }
            for number in 0..<textCount {
                var rest = number
                Self.check(
                    (0..<length).map { _ in
                        defer { rest /= alphabet.count }
                        return alphabet[rest % alphabet.count]
                    })
            }
        }
    }

    @Test("of every sequence of four stretches, around the lengths where a change of mode pays, is the shortest")
    func aroundTheThresholds() {
        let alphabet = Array("1Aa".utf8)
        let lengths = [1, 2, 3, 6, 7, 8, 13, 14, 15, 16, 17]
        var generator = SystemRandomNumberGenerator()
        for first in lengths {
            for second in lengths {
                for third in [1, 4, 9, 18] {
                    let stretches = [first, second, third, Int.random(in: 1...5, using: &generator)]
                    let contents = stretches.flatMap { length in
                        [UInt8](repeating: alphabet.randomElement(using: &generator) ?? 0, count: length)
                    }
                    Self.check(contents)
                }
            }
        }
    }

    @Test("of random contents is the shortest there is", arguments: 0..<200)
    func atRandom(_: Int) {
        let alphabets = [Array("0123456789".utf8), Array("AZ $%*+-./:".utf8), Array("az\u{FF}\0,é".utf8)]
        var contents: [UInt8] = []
        for _ in 0..<Int.random(in: 1...12) {
            let alphabet = alphabets.randomElement() ?? []
            for _ in 0..<Int.random(in: 1...20) { contents.append(alphabet.randomElement() ?? 0) }
        }
        Self.check(contents)
    }

    @Test("depends on the range of versions, so that the smallest version is found in each")
    func ranges() throws {
        // Six digits between bytes save 28 bits in numeric mode; the two headers more cost 26 in versions 1…9, and
        // 36 above.
        let text = "aaaaaaaa" + String(repeating: "1", count: 6) + "aaaaaaaa"
        #expect(try QRCode(text: text, minimumVersion: 9).segments.map(\.mode) == [.byte, .numeric, .byte])
        #expect(try QRCode(text: text, minimumVersion: 10).segments.map(\.mode) == [.byte])
        #expect(try QRCode(text: text, minimumVersion: 27).segments.map(\.mode) == [.byte])
    }

    @Test("never joins what a mode cannot say, and never parts what one mode says")
    func modes() throws {
        #expect(try QRCode(text: "0123456789").segments.map(\.mode) == [.numeric])
        #expect(try QRCode(text: "FIDO:/ 0").segments.map(\.mode) == [.alphanumeric])
        #expect(try QRCode(text: "fido:/").segments.map(\.mode) == [.byte])
        #expect(try QRCode(text: "é").segments.map(\.bytes) == [0..<2])
    }
}
