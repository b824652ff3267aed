import Encodings
import Testing

@testable import Conformance

@Suite("The file of expected results")
struct ExpectedResultsTests {
    static let text = """
        # of a peer

        client/group/known deviates fails # it is
        # a remark of its own
        #
        client/group/right passed held
        client/group/seen observed
        client/group/spirit passed held-in-spirit
        # the end

        """

    static func report(_ verdicts: [(String, Verdict)]) -> ConformanceReport {
        var report = ConformanceReport()
        for (name, verdict) in verdicts { report.add(ReportTests.result(name, verdict)) }
        return report
    }

    static func lines(_ report: ConformanceReport, _ filter: String = "") throws -> [String] {
        try ExpectedResults(parsing: text).differences(from: report) { filter.isEmpty || $0.contains(filter) }
            .flatMap(\.lines)
    }

    @Test("is written as it was read, in the order of IDs, with its remarks")
    func roundTrip() throws {
        #expect(try ExpectedResults(parsing: Self.text).text == Self.text)
        let unordered = "\r\n  b/c   passed   held  \n\na/b observed#so\n"
        var results = try ExpectedResults(parsing: unordered)
        results.take(ConformanceReport(), existing: ["a/b", "b/c"])
        #expect(results.text == "a/b observed # so\nb/c passed held\n")
    }

    @Test("tells a difference in either direction, a case that is new, and one that is gone")
    func differences() throws {
        let report = Self.report([
            ("known", .passed), ("right", .deviates("x")), ("seen", .observed("y")), ("new", .skipped("z")),
        ])
        #expect(
            try Self.lines(report) == [
                "-client/group/known deviates fails", "+client/group/known passed held", "+client/group/new skipped",
                "-client/group/right passed held", "+client/group/right deviates fails",
                "-client/group/spirit passed held-in-spirit",
            ])
        #expect(try Self.lines(Self.report([("seen", .observed("other"))]), "seen").isEmpty)
    }

    @Test("accepts the deviations that it names, with their remarks")
    func known() throws {
        let known = try ExpectedResults(parsing: Self.text).known
        #expect(known.ids == ["client/group/known"])
        #expect(known["client/group/known"] == "it is")
    }

    @Test("takes a run's results, and keeps remarks and cases that were not run, if there still are such")
    func takes() throws {
        var results = try ExpectedResults(parsing: Self.text)
        results.take(
            Self.report([("right", .deviates("x")), ("a", .inconclusive("y"))]),
            existing: ["client/group/known", "client/group/spirit"])
        #expect(
            results.text == """
                # of a peer

                client/group/a inconclusive
                client/group/known deviates fails # it is
                # a remark of its own
                #
                client/group/right deviates fails
                client/group/spirit passed held-in-spirit
                # the end

                """)
    }

    @Test(
        "has no other line",
        arguments: [
            "a/b", "a/b passed", "a/b passed fails", "a/b good", "a/b passed held more", "a/b observed held",
            "a/b skipped\na/b skipped", "a/b passed # held", "deviates fails",
        ])
    func refuses(text: String) {
        #expect(throws: RunnerError(.invalidExpected, reason: "")) { _ = try ExpectedResults(parsing: text) }
    }
}
