import CommandLine
import Conformance
import LinuxSupport
import Synchronization

/// The reporter of a conformance run: prints results as they come, and their counts.
///
/// It is beside the ``Reporter`` of events, through which it writes: a result is of a case, and not an event of a
/// ceremony, and it is counted and kept for reports.
final class ConformanceReporter: Sendable {
    let reporter: Reporter
    private let junit: JUnitFile?
    private let kept: KeptCases?
    /// The first reason for which a case was not kept.
    private let keepFailure = Mutex<Failure?>(nil)
    private let folder: ReportFolder?
    private let expected: ExpectedFile
    private let run: RunDescription
    private let hello: ShimHello?
    private let isWanted: @Sendable (String) -> Bool
    private let report: Mutex<ConformanceReport>
    private let shownEdition = Mutex<Rule.Edition?>(nil)
    private let progress = Mutex((last: ContinuousClock.now, started: ContinuousClock.now))

    /// The interval of progress messages.
    private static let interval = Duration.seconds(5)
    /// The part of a transcript that is printed: entries, and bytes of each.
    private static let shownEntryCount = 8
    private static let shownByteCount = 16

    /// Prepares the report of a run.
    ///
    /// - Parameters:
    ///   - cases: those that are wanted.
    ///   - options: the choice of cases.
    ///   - outputs: the files that the run leaves behind.
    ///   - peer: the words of the peer's command, or its URL.
    ///   - hello: a shim's description of itself.
    ///   - facts: the environment, as far as it depends on the role.
    /// - Throws: ``Failure`` if there are none, or a file cannot be read or written.
    init(
        _ reporter: Reporter, role: ConformanceCase.Role, cases: [ConformanceCase], options: ConformanceOptions,
        outputs: ConformanceOutputOptions, peer: [String], hello: ShimHello? = nil, facts: [RunDescription.Fact]
    ) throws {
        try options.checkChoice(cases, reporter)
        expected = try ExpectedFile(expected: outputs.expected, writing: outputs.writeExpected)
        let known = try expected.results?.known ?? outputs.knownDeviations(reporter)
        self.reporter = reporter
        self.hello = hello
        run = outputs.description(
            of: role, peer, hello, facts + [RunDescription.Fact("timeout", "\(options.timeout) s")],
            CaseSelection(of: role, plannedCount: cases.count, filters: options.filter, profiles: options.profile))
        let wanted = Set(cases.map(\.id))
        // Of a case that is gone no profile is known: that it is gone is told in any case.
        isWanted = { id in
            id.hasPrefix("\(role.rawValue)/")
                && (wanted.contains(id) || !ConformanceOptions.ids.contains(id) && options.isNamed(id))
        }
        folder = try outputs.report.map { try ReportFolder($0) }
        junit = try outputs.junit.map { [run] in try JUnitFile($0, run) }
        kept = try outputs.keep.map { try KeptCases($0) }
        report = Mutex(ConformanceReport(known: known))
    }

    /// Reports a reason for which no case is judged.
    func note(_ failure: Failure, standardError: [String] = []) throws {
        try junit?.write(notJudged: failure.cause.english, standardError: standardError)
    }

    /// The choice of cases.
    var selection: CaseSelection { run.selection }

    /// The edition of CTAP that the peer has shown before the cases.
    var edition: Rule.Edition? {
        get { shownEdition.withLock { $0 } }
        set { shownEdition.withLock { $0 = newValue } }
    }

    /// Lists cases, and runs none.
    static func list(_ cases: [ConformanceCase], _ reporter: Reporter) {
        for testCase in cases {
            reporter.write(
                Line(testCase),
                orPrint: "\(testCase.id)\t\(testCase.kind.rawValue)\t\(testCase.rule.certainty.rawValue)\t"
                    + "\(testCase.rule.id)\t\(testCase.requirement)")
        }
        reporter.say(cases.count.cases)
    }

    /// Takes a result.
    func note(_ result: CaseResult) {
        let (done, reason) = report.withLock { report in
            report.add(result)
            return (report.results.count, report.knownReason(result))
        }
        do { try kept?.keep(result) } catch {
            keepFailure.withLock { $0 = $0 ?? (error as? Failure) ?? Failure(error) }
        }
        if reporter.isJSON { return reporter.writeJSON(Line(result, knownReason: reason)) }
        switch result.verdict {
        case .deviates(let what):
            reporter.print("\(reason == nil ? "deviates" : "known")  \(result.testCase.id): \(what)")
            if reason == nil {
                let rule = result.testCase.rule
                reporter.print("          case: \(result.testCase.requirement)")
                reporter.print("          rule: \(rule.id): \(rule.sentence)")
            }
            printTranscript(of: result)
        case .inconclusive(let why):
            reporter.print("inconclusive  \(result.testCase.id): \(why)")
            printTranscript(of: result)
        case .observed(let what):
            reporter.print("observed  \(result.testCase.id): \(what)")
            reporter.print("          rule: \(result.testCase.rule.id): \(result.testCase.rule.sentence)")
        case .skipped(let why, let setting):
            let remedy = setting.map { ": \($0.remedy)" } ?? ""
            reporter.print("skipped   \(result.testCase.id): \(why)\(remedy)")
        case .passed: break
        }
        let isDue = progress.withLock { progress in
            guard .now - progress.last > Self.interval else { return false }
            progress.last = .now
            return true
        }
        if isDue { reporter.say("\(done) of \(run.selection.plannedCount) cases") }
    }

    /// Prints the last lines of a peer's standard error, and of the transcript.
    private func printTranscript(of result: CaseResult) {
        for line in result.standardError { reporter.print("          stderr: \(quoted(line))") }
        for line in result.transcript.lines(byteLimit: Self.shownByteCount, last: Self.shownEntryCount) {
            reporter.print("        \(line)")
        }
    }

    /// Reports a run of a control case.
    func note(control result: CaseResult) {
        if reporter.isJSON { return reporter.writeJSON(Line(.control, result)) }
        guard case .deviates(let what) = result.verdict else { return }
        reporter.say("control case failed: \(result.testCase.id): \(what)")
    }

    /// Runs the cases, and prints the counts of the results: also those of a run that was interrupted.
    ///
    /// - Throws: ``Failure`` if there are unknown deviations, inconclusive cases or known deviations that are none any
    ///   more, or the file cannot be written; the errors of `body`.
    func run(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is CancellationError {
            try printCounts()
            throw CancellationError()
        }
        let report = try printCounts()
        if let failure = keepFailure.withLock({ $0 }) { throw failure }
        try expected.write(report)
        if let differences = expected.results?.differences(from: report, where: isWanted) {
            return try judge(differences)
        }
        try judge(report)
    }

    /// Tells the differences from the expected results.
    private func judge(_ differences: [ExpectedResults.Difference]) throws {
        guard !differences.isEmpty else { return }
        for difference in differences {
            reporter.write(Line(difference), orPrint: Sentence(verbatim: difference.lines.joined(separator: "\n")))
        }
        throw Failure(
            .deviations, code: "unexpected",
            cause: Sentence(
                count: differences.count, one: "\(differences.count) case is not as expected",
                other: "\(differences.count) cases are not as expected"),
            hint: "--filter runs a single case; if the change is intended, --write-expected updates the file")
    }

    private func judge(_ report: ConformanceReport) throws {
        guard report.deviations.isEmpty else {
            let count = report.deviations.count
            throw Failure(
                .deviations, code: "deviations",
                cause: Sentence(count: count, one: "\(count) case deviates", other: "\(count) cases deviate"),
                hint: "each is named above with its rule; --filter runs it alone, and --known accepts it")
        }
        guard report.inconclusive.isEmpty else {
            let count = report.inconclusive.count
            throw Failure(
                .deviations, code: "inconclusive",
                cause: Sentence(
                    count: count, one: "\(count) case is inconclusive", other: "\(count) cases are inconclusive"),
                hint: "the peer does not always complete valid sessions; raise --timeout, or lower --jobs")
        }
        guard report.repaired.isEmpty else {
            let count = report.repaired.count
            throw Failure(
                .deviations, code: "no-longer-deviates",
                cause: Sentence(
                    count: count, one: "\(count) case is known to deviate, and no longer does",
                    other: "\(count) cases are known to deviate, and no longer do"),
                hint: "take their lines out of the file given with --known")
        }
    }

    @discardableResult
    private func printCounts() throws -> ConformanceReport {
        let report = report.withLock { $0 }
        let elapsed = ContinuousClock.now - progress.withLock { $0.started }
        var run = run
        run.edition = edition
        try junit?.write(report, of: run, elapsed)
        try folder?.write(
            PublishedReport(report, of: run, duration: elapsed).changingTexts(Redaction().apply))
        for id in report.repaired {
            reporter.warn("no-longer-deviates", "\(id) is known to deviate, and no longer does")
        }
        let counts: Sentence =
            "\(report.passedCount) passed, \(report.deviations.count) deviate, \(report.knownDeviations.count) known, "
            + "\(report.observedCount) observed, \(report.skippedCount) skipped, "
            + "\(report.inconclusive.count) inconclusive"
        let part: Sentence = run.selection.isWhole ? "" : "\na part: \(run.selection.text)"
        reporter.write(
            Line(report, run.selection, elapsed),
            orPrint: "\(report.results.count.cases) in \(Int(elapsed.milliseconds / 1_000)) s: "
                + "\(counts)\(part)\(shimText(report))")
        return report
    }
}

extension ConformanceReporter {
    /// The number of cases that a shim could not play, as a line; empty for a whole program.
    private func shimText(_ report: ConformanceReport) -> Sentence {
        guard let hello else { return "" }
        let count = report.results.count { hello.reasonLeftOut($0.testCase) != nil }
        return "\na shim: \(count) of them need a socket, a radio or a feature that it lacks"
    }
}

extension Int {
    /// A number of cases, in words.
    fileprivate var cases: Sentence { Sentence(count: self, one: "\(self) case", other: "\(self) cases") }
}
