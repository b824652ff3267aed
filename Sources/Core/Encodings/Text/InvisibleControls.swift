extension Unicode.Scalar {
    /// True for invisible characters: control and format characters, including overrides of the direction, separators
    /// of lines and paragraphs (Unicode's categories Cc, Cf, Zl and Zp), and blanks (``isBlank``) but the space.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: self != " " && isBlank
        }
    }
}

extension String {
    /// The text with every invisible character escaped, as one line for a terminal.
    package var escapingInvisibleControls: String { escapingInvisibleControlsInJSON }

    /// A JSON text with every invisible character as `\u` and four hexadecimal digits, in two halves above
    /// U+FFFF: another spelling of the same values, which no terminal follows (RFC 8259 section 7).
    ///
    /// Only for texts without white space between their parts: a line end would be escaped too.
    package var escapingInvisibleControlsInJSON: String {
        guard unicodeScalars.contains(where: \.isInvisible) else { return self }
        var output = ""
        for scalar in unicodeScalars {
            guard scalar.isInvisible else {
                output.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar) ?? .init() {
                let digits = String(unit, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return output
    }
}
