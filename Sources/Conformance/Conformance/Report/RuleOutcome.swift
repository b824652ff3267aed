/// The outcome of a case, or of all cases of a rule, in one word: the grade where something was judged.
public enum RuleOutcome: String, Sendable, CaseIterable, Comparable {
    // From the worst on: of a rule's cases the worst counts.

    /// Breaks a requirement that is certain.
    case fails
    /// Breaks a recommendation, or a requirement that is not certain.
    case deviates
    /// Nothing can be said, since the control case failed.
    case inconclusive
    /// Refuses, in another way than the rule names.
    /// The raw value is that of published reports.
    case conceptuallyPassed = "held in spirit"
    /// Keeps the rule.
    case held
    /// Nothing is judged: the rule is disputed, a permission or a choice of this project's, or the case observes.
    case observed
    /// Was not run.
    case skipped

    /// True if the worse outcome is the left one.
    public static func < (left: Self, right: Self) -> Bool { left.severity < right.severity }

    private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The outcome by a grade.
    init(_ grade: Grade) {
        self =
            switch grade {
            case .held: .held
            case .conceptuallyPassed: .conceptuallyPassed
            case .deviates: .deviates
            case .fails: .fails
            }
    }

    /// All outcomes in the order in which a reader looks for them.
    static let inReadingOrder: [Self] = [
        .held, .conceptuallyPassed, .deviates, .fails, .inconclusive, .observed, .skipped,
    ]

    /// The word's meaning, in a legend.
    var meaning: String {
        switch self {
        case .fails: "breaks a requirement (MUST) that is certain"
        case .deviates: "breaks a recommendation (SHOULD), or a requirement that is not certain"
        case .inconclusive: "no verdict: the same flow without the mistake failed as well"
        case .conceptuallyPassed: "refuses, in another way than the rule names"
        case .held: "keeps the rule"
        case .observed:
            "the behaviour is described, and not judged: the rule is disputed, or this project's own choice, or "
                + "the case only observes"
        case .skipped: "not run: it does not apply to this peer or to this run"
        }
    }

    /// A sign beside the word, so that colour is never all there is.
    var sign: String {
        switch self {
        case .fails: "✕"
        case .deviates: "△"
        case .inconclusive: "?"
        case .conceptuallyPassed: "≈"
        case .held: "✓"
        case .observed: "○"
        case .skipped: "–"
        }
    }

    /// The word for people; the raw value is that of published reports.
    var word: String { self == .conceptuallyPassed ? "conceptually passed" : rawValue }

    /// The name of its colours in the style sheet.
    var style: String { self == .conceptuallyPassed ? "spirit" : rawValue }
}

extension Verdict {
    /// The name of a verdict, without its detail.
    public enum Name: String, Sendable, CaseIterable {
        /// The peer keeps the rule.
        case passed
        /// It breaks the rule.
        case deviates
        /// Nothing is judged; the peer's behaviour is described.
        case observed
        /// The case was not run.
        case skipped
        /// Nothing can be said.
        case inconclusive
    }

    /// The verdict's name.
    public var name: Name {
        switch self {
        case .passed: .passed
        case .deviates: .deviates
        case .observed: .observed
        case .skipped: .skipped
        case .inconclusive: .inconclusive
        }
    }

    /// The verdict's detail; nil for one without.
    public var detail: String? {
        switch self {
        case .passed: nil
        case .deviates(let text), .observed(let text), .skipped(let text, _), .inconclusive(let text): text
        }
    }
}
