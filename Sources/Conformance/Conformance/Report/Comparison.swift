public import Encodings

/// Reports of several implementations beside each other: a matrix of rules and peers.
public struct Comparison: Sendable {
    /// A rule and the outcome of each peer.
    public struct Row: Sendable {
        /// The rule.
        public let rule: PublishedReport.Rule
        /// The outcomes of the rule's cases, by peer; nil for a peer without a case about the rule.
        public let cells: [Cell?]
    }

    /// Outcome of the cases of one rule with one peer.
    public struct Cell: Sendable, Equatable {
        /// The worst of the outcomes.
        public let outcome: RuleOutcome
        /// The number of cases that came to it.
        public let count: Int
        /// The number of all cases.
        public let caseCount: Int

        /// The outcome, and of how many cases where it is not that of all.
        public var text: String { count == caseCount ? outcome.word : countedText }

        /// The outcome, and of how many cases.
        public var countedText: String { "\(outcome.word) \(count)/\(caseCount)" }
    }

    /// The most reports that are compared.
    public static let reportLimit = 64

    /// The reports: the columns.
    public let reports: [PublishedReport]
    /// The rows, in the order of the reference.
    public let rows: [Row]

    /// Compares reports.
    ///
    /// - Parameter reports: each of another peer: of another name, version or role.
    /// - Throws: ``RunnerError`` with `duplicate-peer`, or with `invalid-report` if there are too many.
    public init(_ reports: [PublishedReport]) throws(RunnerError) {
        guard reports.count <= Self.reportLimit else {
            throw RunnerError(.invalidReport, reason: "\(reports.count) reports, of at most \(Self.reportLimit)")
        }
        var seen: Set<String> = []
        for report in reports where !seen.insert("\(report.run.role.rawValue)\n\(report.run.peer.label)").inserted {
            throw RunnerError(
                .duplicatePeer, reason: "two reports are of the \(report.run.role.words) \(report.run.peer.label)")
        }
        self.reports = reports
        let byRule = reports.map(\.casesByRule)
        let ids = Set(byRule.flatMap(\.keys))
        rows = Self.rules(ids, reports).map { rule in
            Row(rule: rule, cells: byRule.map { $0[rule.id].flatMap(Cell.init) })
        }
    }

    /// The rules of these IDs: those of the reference as it has them, and behind them those that only a report knows.
    private static func rules(_ ids: Set<String>, _ reports: [PublishedReport]) -> [PublishedReport.Rule] {
        let own = Conformance.Rule.all.filter { ids.contains($0.id) }
            .map { PublishedReport.Rule(id: $0.id, article: $0.article, sentence: $0.sentence) }
        var missing = ids.subtracting(own.map(\.id))
        let theirs = reports.flatMap(\.rules).filter { missing.remove($0.id) != nil }
        return own + theirs
            + missing.sorted().map { PublishedReport.Rule(id: $0, article: "Others", sentence: "") }
    }

    /// The articles with their rows, in the order in which they come.
    var articles: [(name: String, rows: [Row])] {
        var names: [String] = []
        for row in rows where !names.contains(row.rule.article) { names.append(row.rule.article) }
        return names.map { name in (name, rows.filter { $0.rule.article == name }) }
    }

    /// True if the reports of each role are of the same cases. Otherwise their counts are of different things, and each
    /// stands with the number that it is out of.
    public var hasEqualCases: Bool {
        let byRole = Dictionary(grouping: reports, by: \.run.role).values
        return byRole.allSatisfy { Set($0.map { Set($0.cases.map(\.id)) }).count <= 1 }
    }

    /// Remarks on the runs for a reader of the matrix: which of them do not have all cases, and that counts are of
    /// different cases.
    var remarks: [String] {
        var remarks = reports.filter { $0.restriction != nil }.map { report in
            let end = report.isFinished ? "" : ", interrupted after \(report.cases.count)"
            return "\(Self.label(report)): \(report.run.selection.text)\(end)"
        }
        if !hasEqualCases {
            remarks.append("The runs do not have the same cases: each count is told out of how many.")
        }
        return remarks
    }

    /// The same as a list, which is one in Markdown too: a line for each; empty if there is nothing to know.
    public var list: String { remarks.map { "- \($0.asTableCell)\n" }.joined() }

    private static func label(_ report: PublishedReport) -> String {
        "\(report.run.peer.label), \(report.run.role.words)"
    }

    /// The number of rules of the field that cases of a peer's run test.
    func ruleCount(_ peer: Int) -> Int { counts(peer).values.reduce(0, +) }

    /// The number of rules of the field of each outcome with a peer. This project's own rules are not counted.
    func counts(_ peer: Int) -> [RuleOutcome: Int] {
        let ofField = rows.filter(\.rule.isOfField)
        return Dictionary(ofField.compactMap { $0.cells[peer]?.outcome }.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// The matrix as a table that is also one in Markdown: a line for each rule.
    public var table: String {
        let isEqual = hasEqualCases
        let head =
            ["rule"] + reports.map { report in Self.label(report) + (report.restriction.map { ", \($0)" } ?? "") }
        let body = rows.map { row in [row.rule.id] + row.cells.map { (isEqual ? $0?.text : $0?.countedText) ?? "" } }
        let sums = RuleOutcome.inReadingOrder.map { outcome in
            ["rules of the field: \(outcome.word)"]
                + reports.indices.map { "\(counts($0)[outcome] ?? 0)" + (isEqual ? "" : "/\(ruleCount($0))") }
        }
        let lines = ([head] + body + sums).map { $0.map(\.asTableCell) }
        let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, width - cell.count))
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([line(lines[0]), rule] + lines.dropFirst().map(line)).joined(separator: "\n") + "\n"
    }
}

extension Comparison.Cell {
    /// The cell of a rule's cases; nil if there are none.
    init?(_ cases: [PublishedReport.Case]) {
        guard let worst = cases.map(\.outcome).min() else { return nil }
        outcome = worst
        count = cases.count { $0.outcome == worst }
        caseCount = cases.count
    }
}

extension String {
    /// The text in a cell of a table in Markdown, in which nothing steers a terminal.
    fileprivate var asTableCell: String {
        unicodeScalars.reduce(into: "") { cell, scalar in
            if scalar == "|" || scalar == "\\" { cell += "\\" }
            if scalar.isInvisible { cell += " " } else { cell.unicodeScalars.append(scalar) }
        }
    }
}
