/// The results of a run, and what they amount to.
public struct ConformanceReport: Sendable {
    /// The results, in the order in which the cases ended.
    public private(set) var results: [CaseResult] = []
    private let known: KnownDeviations

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

    /// The IDs of cases that are known to deviate and no longer do.
    public var repaired: [String] {
        results.filter { $0.verdict == .passed && known[$0.testCase.id] != nil }.map(\.testCase.id).sorted()
    }

    /// How many cases passed.
    public var passedCount: Int { results.count { $0.verdict == .passed } }

    /// How many cases were observed, since their rule is disputed.
    public var observedCount: Int {
        results.count { if case .observed = $0.verdict { true } else { false } }
    }

    /// How many cases were skipped.
    public var skippedCount: Int {
        results.count { if case .skipped = $0.verdict { true } else { false } }
    }

    /// The reason why a result is known to deviate; nil if it is not.
    public func knownReason(_ result: CaseResult) -> String? { known[result.testCase.id] }

    /// The report in the XML that CI systems read: JUnit's.
    ///
    /// - Parameter name: the name of the suite.
    public func junit(named name: String) -> String {
        var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
        text += "<testsuite name=\"\(Self.escaped(name))\" tests=\"\(results.count)\" failures=\"\(deviations.count)\" "
        text += "skipped=\"\(skippedCount + knownDeviations.count)\">\n"
        for result in results.sorted(by: { $0.testCase.id < $1.testCase.id }) { text += element(result) }
        return text + "</testsuite>\n"
    }

    private func element(_ result: CaseResult) -> String {
        let id = result.testCase.id
        let group = id.split(separator: "/").dropLast().joined(separator: ".")
        let name = id.split(separator: "/").last.map(String.init) ?? id
        let head =
            "  <testcase classname=\"\(Self.escaped(group))\" name=\"\(Self.escaped(name))\" time=\"\(result.duration.secondCount)\""
        let body =
            switch result.verdict {
            case .passed: ""
            case .deviates(let reason):
                if let known = known[id] {
                    "<skipped message=\"known: \(Self.escaped(known))\"/>"
                } else {
                    "<failure message=\"\(Self.escaped(reason))\">\(Self.escaped(result.testCase.rule)) "
                        + "(\(Self.escaped(result.testCase.source)))</failure>"
                }
            case .observed(let what): "<system-out>\(Self.escaped(what))</system-out>"
            case .skipped(let why): "<skipped message=\"\(Self.escaped(why))\"/>"
            }
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

extension Duration {
    /// The duration in seconds.
    var secondCount: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1e3
    }
}
