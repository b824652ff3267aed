import TestPeers
import Testing

@testable import Conformance

@Suite("A badge", .timeLimit(.minutes(5)))
struct BadgeTests {
    /// A report of cases with these verdicts, of which the accepted ones have a reason.
    static func report(_ verdicts: [Verdict], accepted: Set<Int> = []) -> PublishedReport {
        let cases = ConformanceRunner.authenticatorCases.filter(\.rule.isCertainRequirement)
        let reasons = accepted.map { (cases[$0].id, "so it is") }
        var report = ConformanceReport(
            known: KnownDeviations(reasons: Dictionary(reasons, uniquingKeysWith: { first, _ in first })))
        for (testCase, verdict) in zip(cases, verdicts) {
            report.add(CaseResult(testCase: testCase, verdict: verdict, duration: .zero))
        }
        var run = PublishedReportTests.run
        run.peer = RunDescription.Peer(name: "peer", version: "1", command: [])
        run.selection.plannedCount = verdicts.count
        run.selection.catalogueCount = verdicts.count
        return PublishedReport(report, of: run, duration: .zero)
    }

    /// Reads a badge as XML does, and prints its title, the texts that are seen, and the names of its elements.
    static let parser = """
        import sys, xml.etree.ElementTree as tree
        badge = tree.fromstring(sys.argv[1].encode())
        space = "{http://www.w3.org/2000/svg}"
        assert badge.tag == space + "svg" and badge.attrib["role"] == "img"
        assert badge.attrib["aria-label"] == badge.find(space + "title").text
        assert not any(name.startswith("on") or "href" in name or "style" == name for part in badge.iter() for name in part.attrib)
        assert {part.tag[len(space):] for part in badge.iter()} == {"svg", "title", "rect", "g", "text"}
        rects = [(int(part.get("x", 0)), int(part.get("width"))) for part in badge.iter(space + "rect")]
        assert rects[0][1] == rects[1][0] and sum(rects[1]) == int(badge.attrib["width"])
        texts = list(badge.iter(space + "text"))
        assert all(int(part.attrib["textLength"]) + 12 == width for part, (_, width) in zip(texts, rects))
        print(badge.find(space + "title").text)
        print(*(part.text for part in texts), sep="|")
        """

    static func read(_ badge: String) async throws -> [String] {
        let (status, lines) = try await ChildProcess.run(["python3", "-c", parser, badge])
        #expect(status == 0)
        return lines
    }

    @Test("says verdict, counts, profile and date, the same each time; its title also names the peer")
    func contents() async throws {
        let report = Self.report([.passed, .passed, .observed("x")])
        let badge = report.badge
        #expect(badge == Self.report([.passed, .passed, .observed("x")]).badge)
        let text = "no deviation, 2 of 2 kept, profile all, 2026-11-23"
        #expect(
            try await Self.read(badge) == [
                "peer 1: FIDO hybrid authenticator, \(text)", "FIDO hybrid authenticator|\(text)",
            ])
        #expect(badge.contains("#1a6b34"))
        #expect(!badge.lowercased().contains("certif"))
        var narrowed = report
        narrowed.run.selection.profiles = [.qr, .ctap22]
        #expect(narrowed.badge.contains("2 of 2 kept, profile qr and 2.2, "))
        narrowed.run.selection.filters = ["code/"]
        #expect(narrowed.badge.contains("2 of 2 kept, 3 of 3 cases, profile qr and 2.2, "))
    }

    @Test(
        "is never better than the report",
        arguments: [
            ([.passed, .deviates("x")], [], 2, "1 case fails", "#9c1228"),
            ([.passed, .deviates("x")], [1], 2, "1 accepted deviation", "#1a6b34"),
            ([.deviates("x"), .deviates("y")], [1], 2, "1 case fails", "#9c1228"),
            ([.passed, .inconclusive("x")], [], 2, "1 inconclusive", "#5c3793"),
            ([.observed("x"), .skipped("y")], [], 2, "nothing judged", "#545e69"),
            ([.passed, .passed], [], 3, "interrupted", "#545e69"),
        ] as [([Verdict], Set<Int>, Int, String, String)])
    func verdicts(verdicts: [Verdict], accepted: Set<Int>, planned: Int, verdict: String, colour: String) {
        var report = Self.report(verdicts, accepted: accepted)
        report.run.selection.plannedCount = planned
        #expect(report.verdict == verdict)
        #expect(report.badge.contains(">\(verdict), "))
        #expect(report.badge.contains(colour))
        #expect(report.badge.contains("#1a6b34") == (colour == "#1a6b34"))
    }

    @Test("has of a hostile report text alone, and not much of it")
    func hostile() async throws {
        var report = Self.report([.passed])
        report.run.peer.name = PublishedReportTests.hostile + "x" + String(repeating: "\u{301}", count: 10_000)
        report.run.started = PublishedReportTests.hostile
        report.run.selection.filters = [PublishedReportTests.hostile]
        let lines = try await Self.read(report.badge)
        #expect(lines.last?.hasSuffix(", no date") == true)
        #expect(report.badge.utf8.count < 2_500)
        for sign in ["\u{1B}", "\u{202E}", "\u{0}", "\u{FFFE}", "<script"] { #expect(!report.badge.contains(sign)) }
    }
}
