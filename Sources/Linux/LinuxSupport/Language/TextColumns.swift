internal import CLinux

extension String {
    /// The number of columns that a terminal shows it in: characters of East Asia take two.
    package var columnCount: Int {
        unicodeScalars.reduce(0) { count, scalar in
            let width = wcwidth(wchar_t(scalar.value))
            // A character that the locale does not know is shown somehow.
            return count + (width < 0 ? 1 : Int(width))
        }
    }

    /// The text with spaces behind it up to a number of columns; at least one.
    package func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: max(1, columns - columnCount))
    }
}
