import Encodings
import TestPeers
import Testing

@testable import Conformance

@Suite("A comparison of reports", .timeLimit(.minutes(5)))
struct ComparisonTests {
    static func report(_ name: String, _ outcomes: [(String, RuleOutcome)]) -> PublishedReport {
        let cases = outcomes.enumerated().map { number, outcome -> PublishedReport.Case in
            let (verdict, grade): (Verdict.Name, Grade?) =
                switch outcome.1 {
                case .held: (.passed, .held)
                case .conceptuallyPassed: (.passed, .conceptuallyPassed)
                case .deviates: (.deviates, .deviates)
                case .fails: (.deviates, .fails)
                case .observed: (.observed, nil)
                case .skipped: (.skipped, nil)
                case .inconclusive: (.inconclusive, nil)
                }
            return PublishedReport.Case(
                id: "authenticator/group/\(number)", rule: outcome.0, requirement: "", certainty: .certain,
                verdict: verdict,
                grade: grade, detail: nil, known: nil, standardError: [], transcript: [], milliseconds: 1)
        }
        var run = PublishedReportTests.run
        run.peer = RunDescription.Peer(name: name, version: nil, command: [])
        run.selection = CaseSelection(catalogueCount: cases.count, plannedCount: cases.count, filters: [])
        return PublishedReport(run: run, milliseconds: 1, rules: [], cases: cases)
    }

    /// A rule that this version does not have: of a later runner.
    static let unknown = ["HT", "NEW", "1"].joined(separator: "-")

    @Test("takes the worst of the cases of a rule, and counts them", arguments: RuleOutcome.allCases)
    func worst(outcome: RuleOutcome) throws {
        let others = RuleOutcome.allCases.filter { $0 > outcome }
        let outcomes = ([outcome, outcome] + others).shuffled().map { ("HT-ADV-1", $0) }
        let cell = try #require(try Comparison([Self.report("a", outcomes)]).rows.first?.cells.first ?? nil)
        #expect((cell.outcome, cell.count, cell.caseCount) == (outcome, 2, others.count + 2))
    }

    @Test("has a row for each rule in the order of the reference, and holes where a peer has no case")
    func rows() throws {
        let comparison = try Comparison([
            Self.report("a | b", [("HT-ADV-10", .held), ("HT-ADV-2", .fails), ("HT-ADV-2", .held)]),
            Self.report("\u{1B}[31m", [(Self.unknown, .skipped), ("HT-ADV-2", .held)]),
        ])
        #expect(comparison.rows.map(\.rule.id) == ["HT-ADV-2", "HT-ADV-10", Self.unknown])
        #expect(
            comparison.rows.map { $0.cells.map { $0?.text } } == [
                ["fails 1/2", "held"], ["held", nil], [nil, "skipped"],
            ])
        let table = comparison.table.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(table.count == 2 + 3 + RuleOutcome.allCases.count)
        #expect(table[0] == #"| rule | a \| b, authenticator | [31m, authenticator |"#)
        #expect(table[2] == "| HT-ADV-2 | fails 1/2 | held 1/1 |")
        #expect(Set(comparison.table.split(separator: "\n").map(\.count)).count == 1)
    }

    @Test("tells which runs do not have all cases, and sets no count beside one of other cases")
    func selections() async throws {
        let cases = [("HT-ADV-1", RuleOutcome.held), ("HT-ADV-1", .held), ("HT-ADV-2", .held)]
        let whole = Self.report("whole", cases)
        var part = Self.report("part", [cases[0]])
        part.run.selection = CaseSelection(catalogueCount: 3, plannedCount: 1, filters: ["advert/a|b"])
        var ended = Self.report("ended", cases)
        ended.cases.removeLast()
        let comparison = try Comparison([whole, part, ended])
        #expect(!comparison.hasEqualCases)
        let table = comparison.table.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            table[0] == "| rule | whole, authenticator | part, authenticator, 1 of 3 cases "
                + "| ended, authenticator, interrupted after 2 |")
        #expect(table[2] == "| HT-ADV-1 | held 2/2 | held 1/1 | held 2/2 |")
        #expect(table.contains("| rules of the field: held | 2/2 | 1/1 | 1/1 |"))
        #expect(
            comparison.remarks == [
                "part, authenticator: 1 of 3 cases, chosen by --filter 'advert/a|b'",
                "ended, authenticator: 3 cases, interrupted after 2",
                "The runs do not have the same cases: each count is told out of how many.",
            ])
        #expect(comparison.list.hasPrefix(#"- part, authenticator: 1 of 3 cases, chosen by --filter 'advert/a\|b'"#))
        let page = comparison.html(version: "0.1.0", date: "2026-11-23T03:16:08Z")
        let label = #"<bdi>part</bdi> <span class="part">authenticator</span> <span class="part">1 of 3 cases</span>"#
        #expect(page.contains(label))
        #expect(page.contains("<span class=\"part\">1 of 1</span>") && page.contains(">Rules tested</th>"))
        #expect(try await PublishedReportTests.check(page) == ["0 1 0 True"])
        let equal = try Comparison([whole, Self.report("other", cases)])
        #expect(equal.hasEqualCases && equal.remarks.isEmpty)
        #expect(!equal.html(version: "0.1.0", date: "").contains("class=\"notice\""))
        #expect(page.contains("A verdict is not a certification"))
        #expect(equal.rows.map { $0.cells.map { $0?.text } } == [["held", "held"], ["held", "held"]])
        let sum = equal.table.split(separator: "\n").first { $0.hasPrefix("| rules of the field: held ") }
        #expect(sum?.split(separator: " ").joined(separator: " ") == "| rules of the field: held | 2 | 2 |")
    }

    @Test("refuses two reports of the same peer, and more than it shows")
    func refuses() throws {
        let report = Self.report("a", [("HT-ADV-1", .held)])
        #expect(throws: RunnerError(.duplicatePeer, reason: "")) { _ = try Comparison([report, report]) }
        let many = (0...Comparison.reportLimit).map { Self.report("\($0)", []) }
        #expect(throws: RunnerError(.invalidReport, reason: "")) { _ = try Comparison(many) }
        var client = report
        client.run.role = .client
        #expect(try Comparison([report, client]).reports.count == 2)
    }

    @Test("has a row for what this project invented, and does not count it as the field's")
    func invented() throws {
        let comparison = try Comparison([Self.report("a", [("HT-ADV-1", .held), ("TS-CON-4", .held)])])
        #expect(comparison.rows.map(\.rule.id) == ["HT-ADV-1", "TS-CON-4"])
        #expect(comparison.counts(0) == [.held: 1])
        #expect(comparison.ruleCount(0) == 1)
    }

    @Test("is a well-formed page")
    func page() async throws {
        let cases = [("HT-ADV-1", RuleOutcome.held), ("HT-QR-1", .fails), ("HT-QR-1", .conceptuallyPassed)]
        let comparison = try Comparison([
            Self.report(PublishedReportTests.hostile, cases), Self.report("b", [cases[0]]),
        ])
        let page = comparison.html(version: "0.1.0", date: "2026-11-23T03:16:08Z")
        #expect(try await PublishedReportTests.check(page) == ["0 1 0 True"])
        #expect(PublishedReport.isPage(Array(page.utf8)))
        for row in comparison.rows { #expect(page.ranges(of: ">\(row.rule.id)<").count == 1) }
    }
}
