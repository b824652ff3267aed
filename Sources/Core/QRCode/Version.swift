/// One of the forty sizes of a symbol.
///
/// Source: ISO/IEC 18004, 5.3.1 and Table 1.
struct Version: Equatable {
    /// 1…40.
    let number: Int

    static let numbers = 1...40

    /// Modules along one side, without the quiet zone: 21…177.
    var size: Int { 4 * number + 17 }

    /// The versions that share the widths of their count indicators with this one.
    var range: VersionRange { number <= 9 ? .small : number <= 26 ? .middle : .large }

    /// True if the symbol holds its own version (7.10).
    var carriesVersionInformation: Bool { number >= 7 }

    /// Centres of the alignment patterns along either axis (Annex E).
    ///
    /// The first is 6, the last `size - 7`; between them the distances are equal and even, the remainder
    /// going to the first. Version 32 alone has a distance smaller than that rule gives.
    var alignmentCentres: [Int] {
        guard number > 1 else { return [] }
        let first = 6
        let last = size - 7
        let gapCount = number / 7 + 1
        let evenGap = (last - first + 2 * gapCount - 1) / (2 * gapCount) * 2
        let gap = number == 32 ? 26 : evenGap
        return [first] + (0..<gapCount).map { last - (gapCount - 1 - $0) * gap }
    }

    /// Codewords of a symbol, data and error correction together (Table 1).
    ///
    /// All modules but the function patterns, the format and the version information, in whole bytes; up to seven
    /// modules remain, which carry zeros.
    var codewordCount: Int {
        let finders = 3 * 8 * 8
        let timing = 2 * (size - 2 * 8)
        let format = 2 * 15 + 1
        let information = carriesVersionInformation ? 2 * 3 * 6 : 0
        let perAxis = number > 1 ? number / 7 + 2 : 0
        let alignment = perAxis == 0 ? 0 : 25 * (perAxis * perAxis - 3) - 2 * 5 * (perAxis - 2)
        return (size * size - finders - timing - format - information - alignment) / 8
    }

    /// Bits that segments may fill at a level (Table 7).
    func dataBitCapacity(at level: QRCode.ErrorCorrectionLevel) -> Int {
        8 * ErrorCorrectionBlocks(of: self, at: level).dataCodewordCount
    }
}

/// The three ranges of versions that differ in the widths of their count indicators (Table 3).
enum VersionRange: CaseIterable {
    case small, middle, large

    /// 1…9, 10…26 or 27…40.
    var versions: ClosedRange<Int> {
        switch self {
        case .small: 1...9
        case .middle: 10...26
        case .large: 27...40
        }
    }
}
