import CommandLine
import Conformance

// The lines of `--json` of a conformance run.

/// A case.
struct ConformanceCaseLine: Encodable {
    let event = "case"
    let id: String
    let rule: String
    let sentence: String
    let requirement: String
    let kind: String
    let certainty: String

    init(_ testCase: ConformanceCase) {
        id = testCase.id
        rule = testCase.rule.id
        sentence = testCase.rule.sentence
        requirement = testCase.requirement
        kind = testCase.kind.rawValue
        certainty = testCase.certainty.rawValue
    }
}

/// The outcome of a case.
struct VerdictLine: Encodable {
    let event = "verdict"
    let id: String
    let verdict: String
    /// Absent where nothing was judged.
    let grade: String?
    let detail: String?
    let known: String?
    let rule: String
    let sentence: String
    let requirement: String
    let kind: String
    let certainty: String
    /// The last lines that the peer wrote to standard error; absent if there are none, or the case neither deviates nor
    /// is inconclusive.
    let standardError: [String]?
    /// The transcript of a case that deviates or is inconclusive.
    let transcript: [TranscriptLine]?
    let elapsedMs: Double

    init(_ result: CaseResult, knownReason: String?) {
        id = result.testCase.id
        let words = result.verdict.words
        verdict = words.name
        detail = words.detail ?? result.otherWay
        grade = result.grade?.rawValue
        known = knownReason
        rule = result.testCase.rule.id
        sentence = result.testCase.rule.sentence
        requirement = result.testCase.requirement
        kind = result.testCase.kind.rawValue
        certainty = result.testCase.certainty.rawValue
        standardError = result.standardError.isEmpty ? nil : result.standardError
        transcript = TranscriptLine.lines(result.transcript)
        elapsedMs = result.duration.milliseconds
    }
}

/// The counts of a run.
struct ConformanceSumLine: Encodable {
    let event = "result"
    let cases: Int
    let passed: Int
    let deviating: Int
    let known: Int
    let observed: Int
    let skipped: Int
    let inconclusive: Int
    /// The number of cases that were chosen, of so many of the role, by these texts; none for all.
    let planned: Int
    let catalogue: Int?
    let filters: [String]
    /// True if all cases of the role were run.
    let complete: Bool
    let elapsedMs: Double

    init(_ report: ConformanceReport, _ selection: CaseSelection, _ elapsed: Duration) {
        planned = selection.plannedCount
        catalogue = selection.catalogueCount
        filters = selection.filters
        complete = selection.isWhole && report.results.count == selection.plannedCount
        cases = report.results.count
        passed = report.passedCount
        deviating = report.deviations.count
        known = report.knownDeviations.count
        observed = report.observedCount
        skipped = report.skippedCount
        inconclusive = report.inconclusive.count
        elapsedMs = elapsed.milliseconds
    }
}

/// The outcome of a case that runs for the sake of others: the plainest one, before all others, and the control cases.
struct SupportingLine: Encodable {
    /// The purpose of such a case. In lines of JSON a control case has the name that earlier versions gave it.
    enum Event: String, Encodable {
        case preflight
        case control = "twin"
    }

    let event: Event
    let id: String
    let verdict: String
    let detail: String?
    let standardError: [String]?
    let transcript: [TranscriptLine]?
    let elapsedMs: Double

    init(_ event: Event, _ result: CaseResult) {
        self.event = event
        id = result.testCase.id
        (verdict, detail) = result.verdict.words
        standardError = result.standardError.isEmpty ? nil : result.standardError
        transcript = TranscriptLine.lines(result.transcript)
        elapsedMs = result.duration.milliseconds
    }
}

/// A difference from the expected results.
struct DifferenceLine: Encodable {
    let event = "difference"
    let id: String
    /// The expected result, as the file has it; absent for a case that it does not have.
    let expected: String?
    /// The actual result; absent if there is no such case.
    let found: String?

    init(_ difference: ExpectedResults.Difference) {
        id = difference.id
        expected = difference.expected?.description
        found = difference.found?.description
    }
}

extension Verdict {
    /// The verdict's name, and what it says besides.
    fileprivate var words: (name: String, detail: String?) {
        switch self {
        case .passed: ("passed", nil)
        case .deviates(let what): ("deviates", what)
        case .observed(let what): ("observed", what)
        case .inconclusive(let why): ("inconclusive", why)
        case .skipped(let why, let setting): ("skipped", why + (setting.map { ": \($0.remedy)" } ?? ""))
        }
    }
}
