extension Unicode.Scalar {
    /// True for a character that takes room and shows nothing: white space, a filler, or one ignored by default.
    package var isBlank: Bool {
        // A cell of Braille without a dot, which Unicode counts among the symbols.
        properties.isWhitespace || properties.isDefaultIgnorableCodePoint || self == "\u{2800}"
    }
}

extension String {
    /// The text with each run of two blanks or more as one space: padding would move the text after it out of sight.
    ///
    /// Of a text of nothing but blanks the first one stays that is no white space, so that it is not taken for empty.
    package var collapsingPadding: String {
        if unicodeScalars.allSatisfy(\.isBlank),
            let filler = unicodeScalars.first(where: { !$0.properties.isWhitespace })
        {
            return String(filler)
        }
        var output = UnicodeScalarView()
        var blanks = UnicodeScalarView()
        func flush() {
            if blanks.count > 1 { output.append(" ") } else { output.append(contentsOf: blanks) }
            blanks.removeAll()
        }
        for scalar in unicodeScalars {
            if scalar.isBlank {
                blanks.append(scalar)
            } else {
                flush()
                output.append(scalar)
            }
        }
        flush()
        return String(output)
    }
}
