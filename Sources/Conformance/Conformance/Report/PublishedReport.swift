internal import Encodings

/// A run against one peer as it is published: in `report.json`, and on its page.
public struct PublishedReport: Sendable, Equatable {
    /// A rule that cases of the run are about.
    public struct Rule: Sendable, Equatable {
        /// The name: `HT-ADV-3`.
        public let id: String
        /// The article of the reference in which it stands: `Advert`.
        public let article: String
        /// The rule, in the words of RFC 2119.
        public let sentence: String

        /// True for a rule of the field's protocol; false for one that this project invented.
        var isOfField: Bool { id.hasPrefix("HT-") }
    }

    /// An entry of a case's transcript: a message, or an event.
    public struct Entry: Sendable, Equatable {
        /// The time since the case began, in microseconds.
        public let microseconds: Int
        /// The direction: `sent` by the runner, `received` from the peer, or a `note`.
        public let direction: String
        /// The channel: `tunnel`, `advert`.
        public let channel: String
        /// The kind of message or event.
        public let what: String
        /// The first of its bytes, in hexadecimal digits; empty for an event.
        public let hex: String
        /// The number of bytes that are left out.
        public let more: Int
    }

    /// A case and its outcome.
    public struct Case: Sendable, Equatable {
        /// Its ID: `client/advert/suffix`.
        public let id: String
        /// The ID of its rule.
        public let rule: String
        /// The requirement; empty in a report without it.
        public let requirement: String
        /// The certainty of the rule when the report was made.
        public let certainty: Conformance.Rule.Certainty
        /// The verdict.
        public let verdict: Verdict.Name
        /// The grade; nil where nothing was judged.
        public let grade: Grade?
        /// The verdict's detail: the behaviour that was seen, or the reason why the case was skipped.
        public var detail: String?
        /// The reason for which the deviation is accepted; nil if it is not.
        public var known: String?
        /// The last lines that the peer wrote to standard error.
        public var standardError: [String]
        /// The transcript of the case, decrypted, if it deviates or is inconclusive.
        public internal(set) var transcript: [Entry]
        /// The duration in milliseconds.
        public let milliseconds: Int

        /// The outcome in one word. A case that an earlier runner judged by a rule that is this project's own choice,
        /// without saying so, is an observation.
        public var outcome: RuleOutcome {
            if grade != nil, certainty != .policy, Conformance.Rule.find(rule)?.certainty == .policy {
                return .observed
            }
            if let grade { return RuleOutcome(grade) }
            return switch verdict {
            case .observed: .observed
            case .inconclusive: .inconclusive
            // A verdict of these two has a grade.
            case .skipped, .passed, .deviates: .skipped
            }
        }
    }

    /// Description of the run: peer, runner, time and place.
    public var run: RunDescription
    /// The duration of the run in milliseconds.
    public var milliseconds: Int
    /// The rules of the cases, in the order of the reference.
    public internal(set) var rules: [Rule]
    /// The cases, in the order of their IDs.
    public internal(set) var cases: [Case]

    /// The number of planned cases.
    public var plannedCount: Int { run.selection.plannedCount }

    /// True if the run came to its end: all cases that were chosen were run.
    public var isFinished: Bool { cases.count == plannedCount }

    /// True if all cases of the role were run: never of a run whose cases were chosen.
    public var isComplete: Bool { isFinished && run.selection.isWhole }

    /// The restriction of the run, in a few words: `106 of 682 cases`; nil if nothing is.
    public var restriction: String? {
        let isKnownWhole = run.selection.isWhole && run.selection.catalogueCount != nil
        let parts = [
            isKnownWhole ? nil : run.selection.count, isFinished ? nil : "interrupted after \(cases.count)",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Makes a report of a run.
    ///
    /// - Parameters:
    ///   - report: the results.
    ///   - run: the description of the run.
    ///   - duration: the duration of the run.
    public init(_ report: ConformanceReport, of run: RunDescription, duration: Duration) {
        self.run = run
        milliseconds = duration.millisecondCount
        cases = report.results.map { Case($0, known: report.knownReason($0)) }.sorted { $0.id < $1.id }
        let ids = Set(cases.map(\.rule))
        rules = Conformance.Rule.all.filter { ids.contains($0.id) }
            .map { Rule(id: $0.id, article: $0.article, sentence: $0.sentence) }
    }

    init(run: RunDescription, milliseconds: Int, rules: [Rule], cases: [Case]) {
        self.run = run
        self.milliseconds = milliseconds
        self.rules = rules
        self.cases = cases
    }

    /// The same report with every text of a case changed that the peer or this machine has written.
    public func changingTexts(_ change: (String) -> String) -> Self {
        var report = self
        for index in report.cases.indices {
            report.cases[index].detail = cases[index].detail.map(change)
            report.cases[index].known = cases[index].known.map(change)
            report.cases[index].standardError = cases[index].standardError.map(change)
        }
        return report
    }

    /// The same without the long parts that no comparison needs: standard error and transcripts.
    public var withoutTranscripts: Self {
        var report = self
        for index in report.cases.indices {
            report.cases[index].standardError = []
            report.cases[index].transcript = []
        }
        return report
    }

    /// True for the bytes of a page that was made here.
    public static func isPage(_ bytes: [UInt8]) -> Bool { bytes.starts(with: HTMLPage.beginning.utf8) }

    /// The number of cases of each outcome.
    var counts: [RuleOutcome: Int] { Dictionary(cases.map { ($0.outcome, 1) }, uniquingKeysWith: +) }

    /// The number of cases that were judged.
    var judgedCount: Int { cases.count { $0.grade != nil } }

    /// The number of cases whose rule the peer keeps.
    var keptCount: Int { (counts[.held] ?? 0) + (counts[.conceptuallyPassed] ?? 0) }

    /// The cases of each rule, by its ID.
    var casesByRule: [String: [Case]] { Dictionary(grouping: cases, by: \.rule) }
}

extension PublishedReport.Case {
    init(_ result: CaseResult, known: String?) {
        let isDeviation = if case .deviates = result.verdict { true } else { false }
        self.init(
            id: result.testCase.id, rule: result.testCase.rule.id, requirement: result.testCase.requirement,
            certainty: result.testCase.rule.certainty, verdict: result.verdict.name, grade: result.grade,
            detail: result.verdict.detail ?? result.otherWay, known: isDeviation ? known : nil,
            standardError: result.standardError, transcript: result.transcript.published,
            milliseconds: result.duration.millisecondCount)
    }
}

extension Transcript {
    /// The published part of a transcript: a run in which every case deviates still makes a file that is read again.
    private static let publishedHead = 75
    private static let publishedTail = 25
    /// The bytes of a message that are published: those that are kept, or fewer where there are many messages.
    private static let publishedByteCount = 24 << 10

    /// The entries as they are published, and a note where some are left out of the middle.
    fileprivate var published: [PublishedReport.Entry] {
        let head = entries.prefix(Self.publishedHead)
        let tail = entries.dropFirst(Self.publishedHead).suffix(Self.publishedTail)
        let leftOut = omittedCount + entries.count - head.count - tail.count
        let note = PublishedReport.Entry(
            microseconds: head.last?.microseconds ?? 0, direction: Direction.note.rawValue, channel: "",
            what: "\(leftOut) entries are left out", hex: "", more: 0)
        let byteCount = Self.publishedByteCount / max(1, head.count + tail.count)
        let published = (head + tail).map { Self.published($0, byteCount) }
        return published.prefix(head.count) + (leftOut > 0 ? [note] : []) + published.dropFirst(head.count)
    }

    private static func published(_ entry: Entry, _ byteCount: Int) -> PublishedReport.Entry {
        let bytes = Array(entry.bytes.prefix(byteCount))
        return PublishedReport.Entry(
            microseconds: entry.microseconds, direction: entry.direction.rawValue, channel: entry.channel,
            what: entry.what, hex: Hexadecimal.encode(bytes), more: entry.more + entry.bytes.count - bytes.count)
    }
}

extension Transcript.Entry {
    fileprivate var microseconds: Int { max(0, Int(milliseconds * 1_000)) }
}

extension Duration {
    /// The duration in whole milliseconds.
    var millisecondCount: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}

extension String {
    /// The name of an article in words: `Key Derivation` for `KeyDerivation`.
    var articleTitle: String {
        var title = ""
        let letters = Array(self)
        for (index, letter) in letters.enumerated() {
            let follows = index > 0 ? letters[index - 1] : nil
            let isFollowed = index + 1 < letters.count && letters[index + 1].isLowercase
            if letter.isUppercase, let follows, follows.isLowercase || (follows.isUppercase && isFollowed) {
                title += " "
            }
            title.append(letter)
        }
        return title
    }
}

extension PublishedReport {
    /// The name of the format, and its version: a reader of one version reads no other.
    static let format = "hybrid-conformance-report"
    static let version = 1

    /// The report as one JSON document, a line for each rule and each case, so that two reports can be compared.
    public var json: String {
        var members: [(String, JSONValue)] = [
            ("format", .string(Self.format)), ("version", .integer(Self.version)),
            ("role", .string(run.role.rawValue)), ("peer", run.peer.json),
            ("runner", ["version": .string(run.runnerVersion)]), ("started", .string(run.started)),
            ("elapsed_ms", .integer(milliseconds)),
            ("environment", .object(run.environment.map { JSONValue.Member($0.name, .string($0.value)) })),
            ("planned", .integer(plannedCount)),
        ]
        if let edition = run.edition { members.insert(("edition", .string(edition.rawValue)), at: 3) }
        if let count = run.selection.catalogueCount { members.append(("catalogue", .integer(count))) }
        members += [
            ("filters", .array(run.selection.filters.map(JSONValue.string))),
            ("profiles", .array(run.selection.profiles.map { .string($0.rawValue) })), ("complete", .bool(isComplete)),
            ("repeat", .array(run.repeatingWords.map(JSONValue.string))),
        ]
        let head = members.map { "\(Self.line(.string($0.0))):\(Self.line($0.1))" }.joined(separator: ",\n")
        let lists = [("rules", rules.map(\.json)), ("cases", cases.map(\.json))].map { name, values in
            "\"\(name)\":[\n\(values.map(Self.line).joined(separator: ",\n"))\n]"
        }
        return "{\(head),\n\(lists.joined(separator: ",\n"))}\n"
    }

    private static func line(_ value: JSONValue) -> String { value.text.escapingInvisibleControlsInJSON }
}

extension RunDescription.Peer {
    fileprivate var json: JSONValue {
        .object(
            [JSONValue.Member("name", .string(name))]
                + (version.map { [JSONValue.Member("version", .string($0))] } ?? [])
                + [JSONValue.Member("command", .array(command.map(JSONValue.string)))])
    }
}

extension PublishedReport.Rule {
    fileprivate var json: JSONValue {
        ["id": .string(id), "article": .string(article), "sentence": .string(sentence)]
    }
}

extension PublishedReport.Case {
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ text: String?) {
            if let text { members.append(JSONValue.Member(name, .string(text))) }
        }
        add("id", id)
        add("rule", rule)
        add("requirement", requirement.isEmpty ? nil : requirement)
        add("certainty", certainty.rawValue)
        add("verdict", verdict.rawValue)
        add("grade", grade?.rawValue)
        add("detail", detail)
        add("known", known)
        if !standardError.isEmpty {
            members.append(JSONValue.Member("standard_error", .array(standardError.map(JSONValue.string))))
        }
        if !transcript.isEmpty { members.append(JSONValue.Member("transcript", .array(transcript.map(\.json)))) }
        members.append(JSONValue.Member("elapsed_ms", .integer(milliseconds)))
        return .object(members)
    }
}

extension PublishedReport.Entry {
    fileprivate var json: JSONValue {
        [
            "us": .integer(microseconds), "direction": .string(direction), "channel": .string(channel),
            "what": .string(what), "hex": .string(hex), "more": .integer(more),
        ]
    }
}
