import ConformanceRunner
import FoundationEssentials
import Synchronization

/// Tells of a conformance run: results as they come, and what they amount to.
final class ConformanceReporter: Sendable {
    private let reporter: Reporter
    private let caseCount: Int
    private let report: Mutex<ConformanceReport>
    private let progress = Mutex((last: ContinuousClock.now, started: ContinuousClock.now))

    /// How often people are told how far the run is.
    private static let interval = Duration.seconds(5)

    init(_ reporter: Reporter, caseCount: Int, known: KnownDeviations) {
        self.reporter = reporter
        self.caseCount = caseCount
        report = Mutex(ConformanceReport(known: known))
    }

    /// Lists cases, and runs none.
    static func list(_ cases: [ConformanceCase], _ reporter: Reporter) {
        for testCase in cases {
            if reporter.isJSON {
                reporter.writeJSON(CaseLine(testCase))
            } else {
                reporter.print(
                    "\(testCase.id)\t\(testCase.kind.rawValue)\t\(testCase.certainty.rawValue)\t\(testCase.rule)")
            }
        }
        reporter.say("\(cases.count) cases")
    }

    /// Takes a result.
    func note(_ result: CaseResult) {
        let (done, reason) = report.withLock { report in
            report.add(result)
            return (report.results.count, report.knownReason(result))
        }
        if reporter.isJSON { return reporter.writeJSON(ResultLine(result, knownReason: reason)) }
        switch result.verdict {
        case .deviates(let what):
            reporter.print("\(reason == nil ? "deviates" : "known")  \(result.testCase.id): \(what)")
            if reason == nil { reporter.print("          rule: \(result.testCase.rule) (\(result.testCase.source))") }
        case .observed(let what): reporter.print("observed  \(result.testCase.id): \(what)")
        case .skipped(let why): reporter.print("skipped   \(result.testCase.id): \(why)")
        case .passed: break
        }
        let isDue = progress.withLock { progress in
            guard .now - progress.last > Self.interval else { return false }
            progress.last = .now
            return true
        }
        if isDue { reporter.say("\(done) of \(caseCount) cases") }
    }

    /// Tells what the results amount to.
    ///
    /// - Throws: ``Failure`` if there are deviations that nobody knew of, or the file cannot be written.
    func finish(_ role: ConformanceCase.Role, junit: String?) throws {
        let report = report.withLock { $0 }
        if let junit { try write(report.junit(named: "hybrid conformance \(role.rawValue)"), to: junit) }
        for id in report.repaired {
            reporter.warn("no-longer-deviates", "\(id) is known to deviate, and no longer does")
        }
        let elapsed = ContinuousClock.now - progress.withLock { $0.started }
        if reporter.isJSON {
            reporter.writeJSON(SumLine(report, elapsed))
        } else {
            reporter.print(
                "\(report.results.count) cases in \(Int(elapsed.milliseconds / 1_000)) s: \(report.passedCount) passed, "
                    + "\(report.deviations.count) deviate, \(report.knownDeviations.count) known, "
                    + "\(report.observedCount) observed, \(report.skippedCount) skipped")
        }
        guard report.deviations.isEmpty else {
            throw Failure(
                .deviations, code: "deviations", cause: "\(report.deviations.count) cases deviate",
                hint: "each is named above with its rule; --filter runs it alone, and --known accepts it")
        }
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
        } catch {
            throw Failure(
                .file, code: "input-output", cause: "\(path) cannot be written",
                hint: "check the file given with --junit")
        }
    }
}

/// A case.
private struct CaseLine: Encodable {
    let event = "case"
    let id: String
    let rule: String
    let source: String
    let kind: String
    let certainty: String

    init(_ testCase: ConformanceCase) {
        id = testCase.id
        rule = testCase.rule
        source = testCase.source
        kind = testCase.kind.rawValue
        certainty = testCase.certainty.rawValue
    }
}

/// What became of a case.
private struct ResultLine: Encodable {
    let event = "verdict"
    let id: String
    let verdict: String
    let detail: String?
    let known: String?
    let rule: String
    let source: String
    let kind: String
    let certainty: String
    let elapsedMs: Double

    init(_ result: CaseResult, knownReason: String?) {
        id = result.testCase.id
        (verdict, detail) =
            switch result.verdict {
            case .passed: ("passed", nil)
            case .deviates(let what): ("deviates", what)
            case .observed(let what): ("observed", what)
            case .skipped(let why): ("skipped", why)
            }
        known = knownReason
        rule = result.testCase.rule
        source = result.testCase.source
        kind = result.testCase.kind.rawValue
        certainty = result.testCase.certainty.rawValue
        elapsedMs = result.duration.milliseconds
    }
}

/// The counts of a run.
private struct SumLine: Encodable {
    let event = "result"
    let cases: Int
    let passed: Int
    let deviating: Int
    let known: Int
    let observed: Int
    let skipped: Int
    let elapsedMs: Double

    init(_ report: ConformanceReport, _ elapsed: Duration) {
        cases = report.results.count
        passed = report.passedCount
        deviating = report.deviations.count
        known = report.knownDeviations.count
        observed = report.observedCount
        skipped = report.skippedCount
        elapsedMs = elapsed.milliseconds
    }
}
