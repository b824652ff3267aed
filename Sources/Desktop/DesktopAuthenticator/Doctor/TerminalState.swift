/// The terminal's room for a QR code.
package struct TerminalState: Sendable, Hashable {
    package let columns: Int?
    package let lines: Int?
    /// False if it shows no black and white blocks.
    package let showsPictures: Bool
    package let neededColumns: Int
    package let neededLines: Int

    package init(
        size: (columns: Int, lines: Int)?, showsPictures: Bool, needed: (columns: Int, lines: Int)
    ) {
        columns = size?.columns
        lines = size?.lines
        self.showsPictures = showsPictures
        neededColumns = needed.columns
        neededLines = needed.lines
    }

    /// True if a code fits.
    package var fits: Bool {
        guard let columns, let lines else { return false }
        return columns >= neededColumns && lines >= neededLines
    }
}
