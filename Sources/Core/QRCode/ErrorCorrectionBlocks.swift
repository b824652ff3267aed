/// The division of a symbol's codewords into blocks that are corrected each for itself.
///
/// Source: ISO/IEC 18004, Table 9. Where the data do not divide evenly, the later blocks have one data
/// codeword more.
struct ErrorCorrectionBlocks {
    /// Blocks of a symbol: 1…81.
    let blockCount: Int
    /// Error-correction codewords of each block: 7…30.
    let correctionCountPerBlock: Int
    /// Data codewords of the whole symbol.
    let dataCodewordCount: Int

    init(of version: Version, at level: QRCode.ErrorCorrectionLevel) {
        let row = version.number - Version.numbers.lowerBound
        switch level {
        case .low: (correctionCountPerBlock, blockCount) = (lowCorrection[row], lowBlocks[row])
        case .medium: (correctionCountPerBlock, blockCount) = (mediumCorrection[row], mediumBlocks[row])
        case .quartile: (correctionCountPerBlock, blockCount) = (quartileCorrection[row], quartileBlocks[row])
        case .high: (correctionCountPerBlock, blockCount) = (highCorrection[row], highBlocks[row])
        }
        dataCodewordCount = version.codewordCount - blockCount * correctionCountPerBlock
    }

    /// Blocks, from the first, that have the smaller number of data codewords.
    var shortBlockCount: Int { blockCount - dataCodewordCount % blockCount }

    /// Data codewords of a short block.
    var shortBlockDataCount: Int { dataCodewordCount / blockCount }
}

private let lowCorrection = [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
    28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
]
private let mediumCorrection = [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
]
private let quartileCorrection = [
    13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
    28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
]
private let highCorrection = [
    17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
    30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
]
private let lowBlocks = [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
    8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
]
private let mediumBlocks = [
    1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
    17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
]
private let quartileBlocks = [
    1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
    23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
]
private let highBlocks = [
    1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
    25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
]
