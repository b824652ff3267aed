internal import Encodings

/// A piece of a page: a literal in the code is markup, and a value put into it is text of which nothing is markup.
///
///     let cell: HTML = "<td>\(whatAPeerWrote)</td>"
struct HTML: ExpressibleByStringInterpolation, Sendable {
    let markup: String

    init(stringLiteral markup: String) { self.markup = markup }

    init(stringInterpolation interpolation: StringInterpolation) { markup = interpolation.markup }

    struct StringInterpolation: StringInterpolationProtocol {
        var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { markup += literal }

        mutating func appendInterpolation(_ html: HTML?) { markup += html?.markup ?? "" }

        mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { markup += part.markup } }

        mutating func appendInterpolation(_ number: Int) { markup += String(number) }

        mutating func appendInterpolation(_ text: String) { HTML.append(text, to: &markup) }
    }

    /// Appends a text, for the content of an element or a quoted attribute. A scalar that is invisible or unassigned
    /// becomes `\u` and its number, as the output for terminals has it.
    private static func append(_ text: String, to markup: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case "\t": markup.unicodeScalars.append(scalar)
            case _ where scalar.isInvisible || scalar.properties.generalCategory == .unassigned:
                let digits = String(scalar.value, radix: 16)
                markup += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            default: markup.unicodeScalars.append(scalar)
            }
        }
    }
}
