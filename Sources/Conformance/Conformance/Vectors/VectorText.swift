package import Encodings

// The text of files of vectors: ASCII alone, one space for each level, and a line feed at the end.

extension JSONValue {
    private static let hexDigitCount = 4

    /// The value as it stands in a file of vectors.
    package var fileText: String { indented(level: 0) + "\n" }

    private func indented(level: Int) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let number): number.text
        case .string(let text): Self.quoted(text)
        case .array(let values): Self.block("[", values.map { $0.indented(level: level + 1) }, "]", level: level)
        case .object(let members):
            Self.block(
                "{", members.map { "\(Self.quoted($0.name)): \($0.value.indented(level: level + 1))" }, "}",
                level: level)
        }
    }

    private static func block(_ open: String, _ rows: [String], _ close: String, level: Int) -> String {
        guard !rows.isEmpty else { return open + close }
        let indent = String(repeating: " ", count: level + 1)
        let body = rows.map { indent + $0 }.joined(separator: ",\n")
        return "\(open)\n\(body)\n\(indent.dropLast())\(close)"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case "\u{8}": return "\\b"
        case "\u{C}": return "\\f"
        case " "..."\u{7E}": return String(scalar)
        default: return UTF16.encode(scalar).map { $0.map(unit).joined() } ?? ""
        }
    }

    private static func unit(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: hexDigitCount - digits.count) + digits
    }
}
