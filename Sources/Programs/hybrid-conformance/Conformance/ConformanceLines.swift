import CommandLine
import Conformance
import Encodings

// The lines of `--json` of a conformance run.

extension Line {
    /// A case.
    init(_ testCase: ConformanceCase) {
        self.init("case", ["id": testCase.id], testCase.fields)
    }

    /// The outcome of a case. Where nothing was judged there is no grade, and where the case neither deviates nor is
    /// inconclusive no transcript.
    init(_ result: CaseResult, knownReason: String?) {
        let (verdict, detail) = result.verdict.words
        self.init(
            "verdict",
            [
                "id": result.testCase.id, "verdict": verdict, "grade": result.grade?.rawValue,
                "detail": detail ?? result.otherWay, "known": knownReason,
            ], result.testCase.fields, result.evidence)
    }

    /// The outcome of a case that runs for the sake of others: the plainest one, before all others, and the control
    /// cases.
    init(_ event: SupportingEvent, _ result: CaseResult) {
        let (verdict, detail) = result.verdict.words
        self.init(
            event.rawValue,
            ["id": result.testCase.id, "verdict": verdict, "detail": detail, "edition": result.edition?.rawValue],
            result.evidence)
    }

    /// The counts of a run. "planned" cases were chosen, of so many of the role, by these texts and
    /// profiles; none for all.
    init(_ report: ConformanceReport, _ selection: CaseSelection, _ elapsed: Duration) {
        self.init(
            "result",
            [
                "planned": selection.plannedCount, "catalogue": selection.catalogueCount,
                "filters": selection.filters, "profiles": selection.profiles.map(\.rawValue),
                "complete": selection.isWhole && report.results.count == selection.plannedCount,
                "cases": report.results.count, "passed": report.passedCount, "deviating": report.deviations.count,
                "known": report.knownDeviations.count, "observed": report.observedCount,
                "skipped": report.skippedCount, "inconclusive": report.inconclusive.count,
                "elapsed_ms": elapsed.milliseconds,
            ])
    }

    /// A difference from the expected results: without an expected one for a case that the file does not have, without
    /// one that was found if there is no such case.
    init(_ difference: ExpectedResults.Difference) {
        self.init(
            "difference",
            [
                "id": difference.id, "expected": difference.expected?.description,
                "found": difference.found?.description,
            ])
    }
}

/// The purpose of a case that runs for the sake of others. In lines of JSON a control case has the name that earlier
/// versions gave it.
enum SupportingEvent: String {
    case preflight
    case control = "twin"
}

extension ConformanceCase {
    fileprivate var fields: Fields {
        [
            "rule": rule.id, "sentence": rule.sentence, "requirement": requirement, "kind": kind.rawValue,
            "strength": rule.strength.rawValue, "certainty": rule.certainty.rawValue, "observation": isObservation,
            "editions": rule.editions.map(\.rawValue), "profile": profile.rawValue,
        ]
    }
}

extension CaseResult {
    /// The last lines that the peer wrote to standard error, and the transcript, if there are any; and the time.
    fileprivate var evidence: Fields {
        [
            "standard_error": standardError.isEmpty ? nil : standardError,
            "transcript": transcript.entries.isEmpty ? nil : transcript.entries.map(\.fields),
            "elapsed_ms": duration.milliseconds,
        ]
    }
}

extension Transcript.Entry {
    /// The entry: its time since the case began, in milliseconds, to the microsecond; "more" bytes are left out.
    fileprivate var fields: Fields {
        [
            "ms": (milliseconds * 1_000).rounded() / 1_000, "direction": direction.rawValue, "channel": channel,
            "what": what, "hex": Hexadecimal.encode(bytes), "more": more,
        ]
    }
}

extension Verdict {
    /// The verdict's name, and its detail.
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
