import CommandLine
import DesktopAuthenticator
import Glibc
import LinuxSupport

/// Writes the results of checks: at a terminal with symbols, within its width, and with checks skipped for one reason
/// together; elsewhere a line each.
struct CheckWriter {
    private let reporter: Reporter
    /// The columns to keep within; nil where no terminal shows the lines.
    private let columns: Int?
    /// Checks that were not made for the same reason, to be written together.
    private var skipped: [CheckLine] = []

    private static let mostColumns = 80
    private static let leastColumns = 20
    private static let indentation = "  "

    init(_ reporter: Reporter) {
        self.reporter = reporter
        guard !reporter.isJSON, StandardStreams.showsColours(STDOUT_FILENO) else {
            columns = nil
            return
        }
        let width = StandardStreams.size(of: STDOUT_FILENO)?.columns ?? Self.mostColumns
        columns = max(Self.leastColumns, min(width, Self.mostColumns))
    }

    /// Writes a result, or keeps it until it is known what goes with it.
    mutating func write(_ line: CheckLine) {
        guard let columns else { return reporter.write(line.json, orPrint: line.line) }
        if let first = skipped.first, line.grade != first.grade || line.text != first.text { finish() }
        guard line.grade != .notChecked else { return skipped.append(line) }
        let lines: [Sentence] = ["\(line.name): \(line.text)"] + (line.hint.map { ["hint: \($0)"] } ?? [])
        print(lines, line.grade, columns)
    }

    /// Writes the results that were kept.
    mutating func finish() {
        guard let columns, let first = skipped.first else { return }
        print(["not checked: \(skipped.map(\.name).joined(", ")): \(first.text)"], .notChecked, columns)
        skipped = []
    }

    private func print(_ texts: [Sentence], _ grade: CheckResult.Grade, _ columns: Int) {
        let lines = texts.flatMap { $0.localized.wrapped(to: columns - Self.indentation.count) }
        for (index, line) in lines.enumerated() {
            reporter.print((index == 0 ? grade.symbol + " " : Self.indentation) + line)
        }
    }
}

extension CheckResult.Grade {
    /// The grade in words.
    var text: Sentence {
        switch self {
        case .fine: "fine"
        case .warning: "warning"
        case .broken: "broken"
        case .unknown: "unknown"
        case .notChecked: "not checked"
        }
    }

    /// A symbol of one column, in its colour where colours are wanted.
    fileprivate var symbol: String {
        let (symbol, ascii, colour) =
            switch self {
            case .fine: ("✔", "+", 32)
            case .warning: ("!", "!", 33)
            case .broken: ("✘", "x", 31)
            case .unknown: ("?", "?", 33)
            case .notChecked: ("–", "-", 0)
            }
        let text = StandardStreams.isUTF8 ? symbol : ascii
        return StandardStreams.wantsColours(STDOUT_FILENO) ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// The text in lines of at most so many characters, broken at spaces; a longer word has a line of its own.
    fileprivate func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
