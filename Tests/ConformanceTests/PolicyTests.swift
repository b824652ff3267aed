import Synchronization
import Testing

@testable import Conformance

@Suite("A case of a rule that is this project's own choice", .timeLimit(.minutes(5)))
struct PolicyTests {
    /// The verdict on a peer that breaks the rule of a case.
    static func verdict(
        rule: String, isObservation: Bool = false, holdsPolicies: Bool = false, isControl: Bool = false
    ) async throws -> Verdict {
        var testCase = ConformanceCase(id: "client/group/a", rule: rule, demand: "wait", kind: .behaves)
        testCase.isObservation = isObservation
        let runner = CaseRunner<String>(limit: .seconds(60), holdsPolicies: holdsPolicies) { _, script in
            try await script("")
        }
        let scripted = ScriptedCase<String>(testCase: testCase) { _ in throw Deviation("it waits") }
        return try await runner.run(scripted, isControl: isControl).verdict
    }

    @Test("is observed, unless the peer is held to these rules, or the case is the control of others")
    func policies() async throws {
        let policy = "HT-MSG-39"
        #expect(try await Self.verdict(rule: policy) == .observed("it waits"))
        #expect(try await Self.verdict(rule: policy, holdsPolicies: true) == .deviates("it waits"))
        #expect(try await Self.verdict(rule: policy, isControl: true) == .deviates("it waits"))
    }

    @Test("is judged no more than one that is disputed, a permission or an observation")
    func others() async throws {
        for rule in ["HT-MSG-33", "HT-BLE-1"] {
            #expect(try await Self.verdict(rule: rule, holdsPolicies: true) == .observed("it waits"))
        }
        let observed = try await Self.verdict(rule: "HT-QR-1", isObservation: true, holdsPolicies: true)
        #expect(observed == .observed("it waits"))
        #expect(try await Self.verdict(rule: "HT-QR-1") == .deviates("it waits"))
    }

    @Test("is told among those that are known to deviate, and no longer do")
    func known() throws {
        var report = ConformanceReport(known: try KnownDeviations(parsing: "client/group/a it was"))
        report.add(ReportTests.result("a", .observed("it waits")))
        #expect(report.repaired == ["client/group/a"])
    }

    @Test("is observed in what an earlier runner judged, and says so by no certainty")
    func earlier() throws {
        for (rule, certainty, outcome) in [
            ("HT-MSG-39", Rule.Certainty.secondHand, RuleOutcome.observed), ("HT-MSG-39", .policy, .deviates),
            ("HT-QR-1", .certain, .deviates),
        ] {
            let testCase = PublishedReport.Case(
                id: "client/group/a", rule: rule, requirement: "", certainty: certainty, verdict: .deviates,
                grade: .deviates, detail: nil, known: nil, standardError: [], transcript: [], milliseconds: 1)
            #expect(testCase.outcome == outcome, "\(rule) \(certainty)")
        }
    }
}
