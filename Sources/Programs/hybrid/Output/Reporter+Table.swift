import CommandLine
import LinuxSupport

extension Reporter {
    /// A column of a table: its heading, and the cell of a row, nil for none.
    typealias Column<Row> = (heading: Sentence, cell: (Row) -> String?)

    /// Writes the entries that a command lists: a line of JSON for each if they are for programs, otherwise a table
    /// with a heading, of which each column is as wide as its widest cell. Columns without a cell are left out.
    func writeTable<Row>(_ rows: [Row], _ columns: [Column<Row>], _ json: (Row) -> Line) {
        guard !isJSON, !rows.isEmpty else { return rows.forEach { writeJSON(json($0)) } }
        let filled = columns.map { column in [column.heading.localized] + rows.map { column.cell($0) ?? "" } }
            .filter { $0.dropFirst().contains { !$0.isEmpty } }
        for row in 0...rows.count {
            var text = ""
            for (index, cells) in filled.enumerated() {
                text += cells[row]
                guard filled[(index + 1)...].contains(where: { !$0[row].isEmpty }) else { break }
                let width = cells.map(\.columnCount).max() ?? 0
                text += String(repeating: " ", count: width - cells[row].columnCount + Self.gap)
            }
            print(text)
        }
    }

    /// The number of spaces between two columns.
    private static var gap: Int { 2 }
}
