internal import Encodings

/// The results of a run, and their counts.
public struct ConformanceReport: Sendable {
    /// The results, in the order in which the cases ended.
    public private(set) var results: [CaseResult] = []
    let known: KnownDeviations

    /// An empty report.
    public init(known: KnownDeviations = KnownDeviations()) { self.known = known }

    /// Adds a result.
    public mutating func add(_ result: CaseResult) { results.append(result) }

    /// The results of the cases that deviate, and are not known to.
    public var deviations: [CaseResult] {
        results.filter { if case .deviates = $0.verdict { known[$0.testCase.id] == nil } else { false } }
    }

    /// The results of the cases that deviate and are known to.
    public var knownDeviations: [CaseResult] {
        results.filter { if case .deviates = $0.verdict { known[$0.testCase.id] != nil } else { false } }
    }

    /// The IDs of cases that are known to deviate and no longer do: also of those that are observed alone.
    public var repaired: [String] {
        let isRepaired: Set<Verdict.Name> = [.passed, .observed]
        return results.filter { isRepaired.contains($0.verdict.name) && known[$0.testCase.id] != nil }
            .map(\.testCase.id).sorted()
    }

    /// The number of cases that passed.
    public var passedCount: Int { results.count { $0.verdict == .passed } }

    /// The number of cases that were observed.
    public var observedCount: Int {
        results.count { if case .observed = $0.verdict { true } else { false } }
    }

    /// The results of the cases of which nothing can be said.
    public var inconclusive: [CaseResult] {
        results.filter { if case .inconclusive = $0.verdict { true } else { false } }
    }

    /// The number of skipped cases.
    public var skippedCount: Int {
        results.count { if case .skipped = $0.verdict { true } else { false } }
    }

    /// The reason why a result is known to deviate; nil if it is not.
    public func knownReason(_ result: CaseResult) -> String? { known[result.testCase.id] }

    /// The reason why the case of this ID is known to deviate; nil if it is not.
    func reason(_ id: String) -> String? { known[id] }
}

extension Duration {
    /// The duration in seconds.
    var secondCount: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1e3
    }
}

extension ConformanceReport {
    /// The report in the XML that CI systems read: JUnit's.
    ///
    /// - Parameters:
    ///   - name: the name of the suite.
    ///   - run: the description of the run: the time, and as properties the peer, the choice of cases
    ///     and the environment.
    ///   - duration: the duration of the run; nil for the sum of its cases.
    public func junit(named name: String, of run: RunDescription? = nil, duration: Duration? = nil) -> String {
        var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
        text += "<testsuite name=\"\(Self.escaped(name))\" tests=\"\(results.count)\" failures=\"\(deviations.count)\" "
        text += "errors=\"\(inconclusive.count)\" skipped=\"\(skippedCount + knownDeviations.count)\""
        text += Self.times(run, duration ?? results.map(\.duration).reduce(.zero, +)) + ">\n"
        text += Self.properties(run, caseCount: results.count)
        for result in results.sorted(by: { $0.testCase.id < $1.testCase.id }) { text += element(result) }
        return text + "</testsuite>\n"
    }

    /// When the run began and how long it took. Schemas want a host; none is named, since it is private.
    private static func times(_ run: RunDescription?, _ duration: Duration) -> String {
        // Schemas have times without a zone.
        let began = run.map { " timestamp=\"\(escaped($0.started.replacing("Z", with: "")))\"" } ?? ""
        return "\(began) time=\"\(duration.secondCount)\" hostname=\"localhost\""
    }

    /// The facts of a run, of whose cases so many were run.
    private static func properties(_ run: RunDescription?, caseCount: Int) -> String {
        guard let run else { return "" }
        var facts = [
            RunDescription.Fact("role", run.role.rawValue), RunDescription.Fact("peer", run.peer.name),
            RunDescription.Fact("runner", "hybrid \(run.runnerVersion)"),
        ]
        let isComplete = run.selection.isWhole && caseCount == run.selection.plannedCount
        facts += [
            RunDescription.Fact("cases", run.selection.text),
            RunDescription.Fact("profile", run.selection.profiles.text),
            RunDescription.Fact("complete", "\(isComplete)"),
        ]
        if let edition = run.edition { facts.append(RunDescription.Fact("edition", edition.rawValue)) }
        if let version = run.peer.version { facts.insert(RunDescription.Fact("version", version), at: 2) }
        let lines = (facts + run.environment).map { fact in
            "    <property name=\"\(escaped(fact.name))\" value=\"\(escaped(fact.value))\"/>\n"
        }
        return "  <properties>\n\(lines.joined())  </properties>\n"
    }

    /// The same of a run in which no case was judged: not a green file, no matter who reads it.
    ///
    /// - Parameters:
    ///   - name: the name of the suite.
    ///   - reason: the cause, for people.
    ///   - run: as for a run in which cases were.
    ///   - standardError: the last lines that the peer's command wrote to standard error.
    public static func junit(
        named name: String, notJudged reason: String, of run: RunDescription? = nil, standardError: [String] = []
    ) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite name="\(escaped(name))" tests="1" failures="0" errors="1" skipped="0"\(times(run, .zero))>
        \(properties(run, caseCount: 0))  <testcase classname="preflight" name="preflight" time="0.0">\
        <error type="preflight" message="\(escaped(reason))"/>\
        \(systemError(standardError))</testcase>
        </testsuite>

        """
    }

    /// The lines that a command wrote to standard error, each in quotation marks, with everything escaped that could
    /// steer a terminal.
    private static func systemError(_ lines: [String]) -> String {
        guard !lines.isEmpty else { return "" }
        let quoted = lines.map { escaped(CBORValue.text($0).diagnostic()) }
        return "<system-err>\(quoted.joined(separator: "\n"))</system-err>"
    }

    /// The transcript of a case, a line for each entry.
    private static func systemOutput(_ transcript: Transcript) -> String {
        let lines = transcript.lines()
        return lines.isEmpty ? "" : "<system-out>\(lines.map(escaped).joined(separator: "\n"))</system-out>"
    }

    private func element(_ result: CaseResult) -> String {
        let id = result.testCase.id
        let rule = result.testCase.rule
        let group = id.split(separator: "/").dropLast().joined(separator: ".")
        let name = id.split(separator: "/").last.map(String.init) ?? id
        let head =
            "  <testcase classname=\"\(Self.escaped(group))\" name=\"\(Self.escaped(name))\" "
            + "time=\"\(result.duration.secondCount)\""
        var body =
            switch result.verdict {
            case .passed: ""
            case .deviates(let reason):
                if let known = known[id] {
                    "<skipped message=\"known: \(Self.escaped(known))\"/>"
                } else {
                    "<failure type=\"\(result.grade?.rawValue ?? "")\" message=\"\(Self.escaped(reason))\">"
                        + "\(Self.escaped(result.testCase.requirement))\n"
                        + "\(Self.escaped(rule.id)): \(Self.escaped(rule.sentence))</failure>"
                }
            case .observed(let what): "<system-out>\(Self.escaped(what))</system-out>"
            case .inconclusive(let why): "<error type=\"inconclusive\" message=\"\(Self.escaped(why))\"/>"
            case .skipped(let why, _): "<skipped message=\"\(Self.escaped(why))\"/>"
            }
        body += Self.systemOutput(result.transcript) + Self.systemError(result.standardError)
        return body.isEmpty ? head + "/>\n" : head + ">\(body)</testcase>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML 1.0 has neither control characters nor these two, not even escaped.
            case "\u{FFFE}", "\u{FFFF}": result += " "
            case " "...: result.unicodeScalars.append(scalar)
            default: result += " "
            }
        }
    }
}
