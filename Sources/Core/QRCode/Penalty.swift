/// The penalty of a masked symbol, for features that could mislead a reader: the less, the better the mask.
///
/// Source: ISO/IEC 18004, 7.8.3.1, Table 11. All four features are looked for in the whole symbol, function
/// patterns and format information included; modules beyond its edge are light.
enum Penalty {
    static let adjacentModules = 3  // N1
    static let block = 3  // N2
    static let finderLike = 40  // N3
    static let proportion = 10  // N4

    /// The score of a symbol.
    static func score<Row: ModuleRow>(of symbol: MaskedSymbol<Row>) -> Int {
        var score = 0
        var darkCount = 0
        var above: Row = .light
        var equalAbove: Row = .light
        for row in symbol.rows {
            let equal = equalNeighbours(in: row, size: symbol.size)
            score += linePenalty(of: row, equal: equal)
            score += block * (equal & equalAbove & ~(row ^ above)).nonzeroBitCount
            darkCount += row.nonzeroBitCount
            (above, equalAbove) = (row, equal)
        }
        for column in symbol.columns {
            score += linePenalty(of: column, equal: equalNeighbours(in: column, size: symbol.size))
        }
        return score + proportionPenalty(darkCount: darkCount, moduleCount: symbol.size * symbol.size)
    }

    /// The modules that have the colour of the next one in the line.
    static func equalNeighbours<Row: ModuleRow>(in line: Row, size: Int) -> Row {
        ~(line ^ line.ahead(1)) & .dark(size - 1)
    }

    private static func linePenalty<Row: ModuleRow>(of line: Row, equal: Row) -> Int {
        runPenalty(equal: equal) + finderLike * finderLikeCount(in: line)
    }

    /// First feature: N1 + k for each run of 5 + k modules of one colour.
    ///
    /// A run of 5 + k modules has 1 + k places where four equal neighbours begin.
    static func runPenalty<Row: ModuleRow>(equal: Row) -> Int {
        let two = equal & equal.ahead(1)
        let four = two & two.ahead(2)
        let runs = four & ~four.behind(1)
        return four.nonzeroBitCount + (adjacentModules - 1) * runs.nonzeroBitCount
    }

    /// Third feature: runs in the ratio 1:1:3:1:1, dark outside, with four times the unit light before or after.
    ///
    /// A ratio knows no size, so units of more than one module count too. Such a pattern counts once, whether it
    /// has light on one side or on both.
    static func finderLikeCount<Row: ModuleRow>(in line: Row) -> Int {
        let three = line & line.ahead(1) & line.ahead(2)
        var (count, unit, centres) = (0, 1, three)
        while !centres.isLight {
            count += finderLikeCount(in: line, unit: unit, centres: centres)
            centres = centres & three.ahead(3 * unit)
            unit += 1
        }
        return count
    }

    /// The patterns of one unit whose centres begin at some of the given places, where 3 × unit dark modules begin.
    private static func finderLikeCount<Row: ModuleRow>(in line: Row, unit: Int, centres: Row) -> Int {
        let wholeCentres = centres & ~line.behind(1) & ~line.ahead(3 * unit)
        if wholeCentres.isLight { return 0 }
        let dark = (1..<unit).reduce(line) { $0 & line.ahead($1) }  // at least one unit
        let notLight = (1..<unit).reduce(line) { $0 | line.ahead($1) }
        let patterns =
            wholeCentres & ~notLight.behind(unit) & ~notLight.ahead(3 * unit)
            & dark.behind(2 * unit) & dark.ahead(4 * unit)
            & ~line.behind(2 * unit + 1) & ~line.ahead(5 * unit)
        if patterns.isLight { return 0 }
        let quiet = 4 * unit
        let notQuietBefore = (0..<quiet).reduce(Row.light) { $0 | line.behind(2 * unit + 1 + $1) }
        let notQuietAfter = (0..<quiet).reduce(Row.light) { $0 | line.ahead(5 * unit + $1) }
        return (patterns & ~(notQuietBefore & notQuietAfter)).nonzeroBitCount
    }

    /// Fourth feature: N4 × k where the share of dark modules is 50 ± 5k % to 50 ± 5(k + 1) %.
    static func proportionPenalty(darkCount: Int, moduleCount: Int) -> Int {
        let stepsOfFivePercent = 20
        return proportion * (abs(2 * darkCount - moduleCount) * stepsOfFivePercent / (2 * moduleCount))
    }
}
