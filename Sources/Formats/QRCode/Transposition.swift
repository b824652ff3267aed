/// A square of modules with rows and columns exchanged.
///
/// The square is cut into tiles of 64 × 64 modules, a word a row. Each tile is transposed by itself and goes to the
/// mirror place.
func transposed<Row: ModuleRow>(_ rows: [Row]) -> [Row] {
    let tileSide = UInt64.bitWidth
    let tilesPerSide = (rows.count + tileSide - 1) / tileSide
    var words = [UInt64](repeating: 0, count: tilesPerSide * tilesPerSide * tileSide)  // of columns, word by word
    for across in 0..<tilesPerSide {
        for down in 0..<tilesPerSide {
            let first = (across * tilesPerSide + down) * tileSide
            for index in down * tileSide..<min((down + 1) * tileSide, rows.count) {
                words[first + index - down * tileSide] = rows[index].word(across)
            }
            transposeTile(&words, at: first)
        }
    }
    return rows.indices.map { column in
        let (across, place) = column.quotientAndRemainder(dividingBy: tileSide)
        return Row(wordCount: tilesPerSide) { words[(across * tilesPerSide + $0) * tileSide + place] }
    }
}

/// Exchanges the upper right and the lower left quarter of a tile, then those of each quarter, down to single modules.
private func transposeTile(_ words: inout [UInt64], at first: Int) {
    var half = UInt64.bitWidth / 2
    var rightHalves: UInt64 = 0xFFFF_FFFF_0000_0000
    while half > 0 {
        for upper in 0..<UInt64.bitWidth where upper & half == 0 {
            let (above, below) = (words[first + upper], words[first + upper + half])
            let exchange = (above ^ below &<< UInt64(half)) & rightHalves
            words[first + upper] = above ^ exchange
            words[first + upper + half] = below ^ exchange &>> UInt64(half)
        }
        half /= 2
        rightHalves ^= rightHalves &>> UInt64(half)
    }
}
