import Testing

@testable import QRCode

@Suite("The penalty of a mask")
struct PenaltyTests {
    /// A line of modules, `#` for dark, as a row of the type that a symbol of its size would have.
    static func line<Row: ModuleRow>(_ drawing: String, as type: Row.Type = Row.self) -> Row {
        drawing.enumerated().reduce(Row.light) { $1.element == "#" ? $0 | Row(1).behind($1.offset) : $0 }
    }

    static func runPenalty(_ drawing: String) -> [Int] {
        [
            Penalty.runPenalty(equal: Penalty.equalNeighbours(in: line(drawing, as: UInt64.self), size: drawing.count)),
            Penalty.runPenalty(
                equal: Penalty.equalNeighbours(in: line(drawing, as: WideRow.self), size: drawing.count)),
        ]
    }

    static func finderLikeCount(_ drawing: String) -> [Int] {
        [
            Penalty.finderLikeCount(in: line(drawing, as: UInt64.self)),
            Penalty.finderLikeCount(in: line(drawing, as: WideRow.self)),
        ]
    }

    @Test(
        "is 3 for a run of five modules of one colour and 1 for each more",
        arguments: [
            ("####.####.####.####.#", 0), ("#####.####.####.####.", 3), (".#.#.#.#.#.#.#.#.....", 3),
            ("######.#.#.#.#.#.#.#.", 4), ("#####......#.#.#.#.#.", 3 + 4), ("#####################", 3 + 16),
            (".....................", 3 + 16), ("#.#.#.#.#.#.#.#######", 5),
        ])
    func runs(drawing: String, penalty: Int) {
        #expect(Self.runPenalty(drawing) == [penalty, penalty])
    }

    @Test(
        "is 40 for each 1:1:3:1:1 with four light modules before or after",
        arguments: [
            ("#.###.#", 1),  // the edge is light
            ("....#.###.#....", 1),  // once, not twice
            ("##....#.###.#.##", 1),
            ("##.#.###.#....##", 1),
            ("##.#.###.#...##", 0),
            ("##...#.###.#.##", 0),
            ("#.###.#...##", 1),
            ("#.###.##....##", 0),  // 1:1:3:1:2
            ("##....##.###.#....##", 0),
            ("#.####.#", 0),
            ("#..###.#", 0),
            ("#.###.#....#.###.#", 2),
            ("#.###.#.###.#", 2),  // they may overlap
        ])
    func finders(drawing: String, count: Int) {
        #expect(Self.finderLikeCount(drawing) == [count, count])
    }

    @Test("is 40 for that ratio in any size, the light four units wide", arguments: 1...5)
    func largeFinders(unit: Int) {
        func runs(_ lengths: [Int]) -> String {
            lengths.enumerated().map { String(repeating: $0.offset % 2 == 0 ? "#" : ".", count: $0.element) }.joined()
        }
        let core = [unit, unit, 3 * unit, unit, unit]
        #expect(Self.finderLikeCount(runs(core)) == [1, 1])
        let guarded = [1, 4 * unit] + core + [unit, 1]
        #expect(Penalty.finderLikeCount(in: Self.line(runs(guarded), as: WideRow.self)) == 1)
        let tooClose = [1, 4 * unit - 1] + core + [unit, 1]
        #expect(Penalty.finderLikeCount(in: Self.line(runs(tooClose), as: WideRow.self)) == 0)
        let uneven = [1, 4 * unit] + [unit, unit, 3 * unit, unit, unit + 1] + [unit, 1]
        #expect(Penalty.finderLikeCount(in: Self.line(runs(uneven), as: WideRow.self)) == 0)
    }

    @Test(
        "is 10 for each five per cent that the dark modules are away from half",
        arguments: [(500, 0), (549, 0), (451, 0), (550, 10), (450, 10), (599, 10), (600, 20), (1_000, 100), (0, 100)])
    func proportion(darkPerThousand: Int, penalty: Int) {
        #expect(Penalty.proportionPenalty(darkCount: darkPerThousand, moduleCount: 1_000) == penalty)
    }

    @Test("adds up as Table 11 says, counted module by module", arguments: [1, 2, 5, 7, 11, 12, 27, 28, 40])
    func wholeSymbols(version: Int) throws {
        let text = "Penalty \(Int.random(in: 0...999_999))"
        var scores: [(QRCode.Mask, Int)] = []
        for mask in QRCode.Mask.allCases {
            let code = try QRCode(text: text, level: .low, minimumVersion: version, mask: mask)
            scores.append((mask, NaivePenalty.score(of: code.modules)))
        }
        let chosen = try QRCode(text: text, level: .low, minimumVersion: version)
        let least = scores.map(\.1).min()
        #expect(scores.first { $0.1 == least }?.0 == chosen.mask, "\(text): \(scores)")
        #expect(MaskScores.all(of: text, version: version) == scores.map(\.1))
    }
}

/// The scores that the encoder itself sees.
enum MaskScores {
    static func all(of text: String, version: Int) -> [Int] {
        let version = Version(number: version)
        let blocks = ErrorCorrectionBlocks(of: version, at: .low)
        let contents = text.utf8.span
        let segments = Optimum(of: Run.all(in: contents), in: version.range).segments(of: Run.all(in: contents))
        let data = dataCodewords(of: contents, segments: segments, count: blocks.dataCodewordCount, in: version.range)
        let message = finalMessage(data: data, in: blocks)
        return version.size <= UInt64.capacity
            ? scores(of: UnmaskedSymbol<UInt64>(version: version, message: message))
            : scores(of: UnmaskedSymbol<WideRow>(version: version, message: message))
    }

    private static func scores<Row: ModuleRow>(of symbol: UnmaskedSymbol<Row>) -> [Int] {
        QRCode.Mask.allCases.map { Penalty.score(of: MaskedSymbol(symbol, level: .low, mask: $0)) }
    }
}

/// Table 11, read with a finger on the modules.
enum NaivePenalty {
    static func score(of modules: [[Bool]]) -> Int {
        let side = modules.count
        let columns = (0..<side).map { x in modules.map { $0[x] } }
        var score = 0
        for line in modules + columns {
            let lengths = runLengths(of: line)
            score += lengths.map { $0 >= 5 ? 3 + $0 - 5 : 0 }.reduce(0, +)
            score += 40 * finderLikeCount(startsDark: line[0], lengths: lengths)
        }
        for y in 1..<side {
            for x in 1..<side
            where Set([modules[y][x], modules[y - 1][x], modules[y][x - 1], modules[y - 1][x - 1]]).count == 1 {
                score += 3
            }
        }
        let dark = modules.map { row in row.count { $0 } }.reduce(0, +)
        let percentageFromHalf = abs(Double(dark) / Double(side * side) * 100 - 50)
        return score + 10 * Int(percentageFromHalf / 5)
    }

    private static func runLengths(of line: [Bool]) -> [Int] {
        var lengths: [Int] = []
        for (index, module) in line.enumerated() {
            if index > 0, line[index - 1] == module { lengths[lengths.count - 1] += 1 } else { lengths.append(1) }
        }
        return lengths
    }

    /// Dark runs at odd places, a light run of any length before the first and after the last.
    private static func finderLikeCount(startsDark: Bool, lengths: [Int]) -> Int {
        let endless = 1_000
        var runs = lengths
        if startsDark { runs.insert(endless, at: 0) } else { runs[0] = endless }
        if runs.count % 2 == 0 { runs.append(endless) } else { runs[runs.count - 1] = endless }
        return stride(from: 3, to: runs.count - 3, by: 2).count { centre in
            let unit = runs[centre - 2]
            return runs[centre - 2...centre + 2].elementsEqual([unit, unit, 3 * unit, unit, unit])
                && (runs[centre - 3] >= 4 * unit || runs[centre + 3] >= 4 * unit)
        }
    }
}
