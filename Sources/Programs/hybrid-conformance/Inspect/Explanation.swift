import CommandLine

/// Explanation of a subject: a title, lines of a name and a value each, and perhaps the whole of it in a notation.
struct Explanation {
    let kind: Subject.Kind
    let title: String
    var lines: [(name: String, value: String)]
    var notation: String?

    init(_ kind: Subject.Kind, _ title: String, _ lines: [(name: String, value: String)], notation: String? = nil) {
        self.kind = kind
        self.title = title
        self.lines = lines
        self.notation = notation
    }

    /// For people.
    var text: String {
        let width = lines.map(\.name.count).max() ?? 0
        let rows = lines.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.value)" }
        return ([title] + rows + (notation.map { [$0] } ?? [])).joined(separator: "\n")
    }

    /// For programs.
    var line: Line {
        Line(
            "explanation",
            [
                "kind": kind.rawValue, "title": title,
                "fields": lines.map { ["name": $0.name, "value": $0.value] as Fields }, "notation": notation,
            ])
    }
}
