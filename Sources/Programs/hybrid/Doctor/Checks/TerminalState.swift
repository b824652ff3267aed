/// The terminal's room for a QR code.
struct TerminalState: Sendable, Hashable {
    let columns: Int?
    let lines: Int?
    /// False if it shows no black and white blocks.
    let showsPictures: Bool
    let neededColumns: Int
    let neededLines: Int

    init(
        size: (columns: Int, lines: Int)?, showsPictures: Bool, needed: (columns: Int, lines: Int)
    ) {
        columns = size?.columns
        lines = size?.lines
        self.showsPictures = showsPictures
        neededColumns = needed.columns
        neededLines = needed.lines
    }

    /// True if a code fits.
    var fits: Bool {
        guard let columns, let lines else { return false }
        return columns >= neededColumns && lines >= neededLines
    }
}
