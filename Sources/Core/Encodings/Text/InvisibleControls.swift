extension Unicode.Scalar {
    /// True for what is not seen and steers what is: control and format characters, among them overrides of the
    /// direction, and separators of lines and paragraphs (Unicode's categories Cc, Cf, Zl and Zp).
    package var isInvisibleControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension String {
    /// A JSON text with every invisible control character as `\u` and four hexadecimal digits, in two halves above
    /// U+FFFF: another spelling of the same values, which no terminal follows (RFC 8259 section 7).
    ///
    /// Only for texts without white space between their parts: a line end would be escaped too.
    package var escapingInvisibleControlsInJSON: String {
        guard unicodeScalars.contains(where: \.isInvisibleControl) else { return self }
        var output = ""
        for scalar in unicodeScalars {
            guard scalar.isInvisibleControl else {
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
