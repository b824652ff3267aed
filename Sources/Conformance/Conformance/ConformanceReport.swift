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

    /// The IDs of cases that are known to deviate and no longer do.
    public var repaired: [String] {
        results.filter { $0.verdict == .passed && known[$0.testCase.id] != nil }.map(\.testCase.id).sorted()
    }

    /// The number of cases that passed.
    public var passedCount: Int { results.count { $0.verdict == .passed } }

    /// The number of cases that were observed, since their rule is disputed.
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
