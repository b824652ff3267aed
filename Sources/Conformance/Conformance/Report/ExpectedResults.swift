/// The results that are expected of a peer, case by case: a run that differs in any way, for the worse or the better,
/// has changed something.
///
///     # Chromium 156
///
///     client/advert/flags passed held
///     client/advert/suffix-psm deviates fails # takes adverts of exactly 20 bytes
///
/// A line has a case's ID, its verdict, and its grade where it has one. Text behind `#` is a remark: of a case that
/// deviates it is the reason for which that is accepted. Lines are in the order of IDs, so that two files differ in the
/// changed lines alone.
public struct ExpectedResults: Sendable, Equatable {
    /// A verdict and a grade, as a file has them: `deviates fails`.
    public struct Result: Sendable, Equatable, CustomStringConvertible {
        let verdict: Verdict.Name
        let grade: Grade?

        /// Verdict and grade.
        public var description: String {
            verdict.rawValue + (grade.map { " " + $0.rawValue.replacing(" ", with: "-") } ?? "")
        }
    }

    /// A line and the remarks above it.
    struct Entry: Sendable, Equatable {
        var remarks: [String]
        let id: String
        var result: Result
        var remark: String?
    }

    /// A difference between the expected result and the one of a run.
    public struct Difference: Sendable, Equatable {
        /// The ID of the case.
        public let id: String
        /// The expected result; nil if the file does not have the case.
        public let expected: Result?
        /// The actual result; nil if there is no such case.
        public let found: Result?

        /// The difference as `diff` writes it: a line with `-` for the expected result, and one with `+` for
        /// the result found.
        public var lines: [String] {
            [expected.map { "-\(id) \($0)" }, found.map { "+\(id) \($0)" }].compactMap(\.self)
        }
    }

    /// The remarks at the top of the file, up to its first empty line.
    private(set) var head: [String] = []
    private(set) var entries: [Entry] = []
    /// The remarks after the last case.
    private(set) var tail: [String] = []

    /// No results.
    public init() {}

    /// Reads a file's text.
    ///
    /// - Throws: ``RunnerError`` with `invalid-expected` for a line that is none, and for a case that stands there
    ///   twice.
    public init(parsing text: String) throws(RunnerError) {
        var remarks: [String] = []
        var isAtTop = true
        var ids: Set<String> = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let words = (parts.first ?? "").split(whereSeparator: \.isWhitespace)
            let remark = parts.count > 1 ? parts[1].trimmed : nil
            guard let id = words.first.map(String.init) else {
                if let remark {
                    remarks.append(remark)
                } else if isAtTop, !remarks.isEmpty {
                    (head, remarks, isAtTop) = (remarks, [], false)
                }
                continue
            }
            isAtTop = false
            guard let result = Result(words.dropFirst()) else {
                throw RunnerError(
                    .invalidExpected, reason: "line \(index + 1) is not a case's ID, a verdict and its grade")
            }
            guard ids.insert(id).inserted else {
                throw RunnerError(.invalidExpected, reason: "line \(index + 1) has a case for the second time: \(id)")
            }
            entries.append(Entry(remarks: remarks, id: id, result: result, remark: remark))
            remarks = []
        }
        tail = remarks
    }

    /// The IDs.
    public var ids: Set<String> { Set(entries.map(\.id)) }

    /// The cases that are expected to deviate, each with its remark.
    public var known: KnownDeviations {
        let reasons = entries.filter { $0.result.verdict == .deviates }.map { ($0.id, $0.remark ?? "as expected") }
        return KnownDeviations(reasons: Dictionary(reasons, uniquingKeysWith: { first, _ in first }))
    }

    /// The differences of a run from the expected results, in the order of IDs.
    ///
    /// - Parameters:
    ///   - report: the results.
    ///   - isWanted: true of the IDs that belong to this run.
    public func differences(from report: ConformanceReport, where isWanted: (String) -> Bool) -> [Difference] {
        let found = Self.results(report)
        let expected = Dictionary(entries.map { ($0.id, $0.result) }, uniquingKeysWith: { first, _ in first })
        return Set(found.keys).union(expected.keys.filter(isWanted)).sorted().compactMap { id in
            guard expected[id] != found[id] else { return nil }
            return Difference(id: id, expected: expected[id], found: found[id])
        }
    }

    /// Takes the results of a run in the place of those that are there. Remarks stay; so do cases that were not run, if
    /// there still are such cases.
    public mutating func take(_ report: ConformanceReport, existing ids: Set<String>) {
        var found = Self.results(report)
        var kept: [Entry] = []
        var orphaned: [String] = []
        for var entry in entries {
            guard found[entry.id] != nil || ids.contains(entry.id) else {
                orphaned += entry.remarks
                continue
            }
            if let result = found.removeValue(forKey: entry.id) { entry.result = result }
            entry.remarks = orphaned + entry.remarks
            orphaned = []
            kept.append(entry)
        }
        tail = orphaned + tail
        kept += found.map { id, result in
            Entry(remarks: [], id: id, result: result, remark: result.verdict == .deviates ? report.reason(id) : nil)
        }
        entries = kept.sorted { $0.id < $1.id }
    }

    /// The file's text.
    public var text: String {
        var lines = head.map(Self.line)
        if !head.isEmpty { lines.append("") }
        for entry in entries {
            lines += entry.remarks.map(Self.line)
            lines.append("\(entry.id) \(entry.result)" + (entry.remark.map { " # \($0)" } ?? ""))
        }
        return (lines + tail.map(Self.line)).map { $0 + "\n" }.joined()
    }

    private static func line(_ remark: String) -> String { remark.isEmpty ? "#" : "# \(remark)" }

    private static func results(_ report: ConformanceReport) -> [String: Result] {
        Dictionary(
            report.results.map { ($0.testCase.id, Result(verdict: $0.verdict.name, grade: $0.grade)) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension ExpectedResults.Result {
    /// Reads the words after a case's ID.
    fileprivate init?(_ words: ArraySlice<Substring>) {
        guard let verdict = words.first.flatMap({ Verdict.Name(rawValue: String($0)) }), words.count <= 2 else {
            return nil
        }
        let grade = words.dropFirst().first.map { String($0).replacing("-", with: " ") }.map(Grade.init(rawValue:))
        // A verdict that judges has a grade that fits it, and no other has one.
        switch (verdict, grade) {
        case (.passed, .held), (.passed, .conceptuallyPassed), (.deviates, .deviates), (.deviates, .fails):
            self.init(verdict: verdict, grade: grade ?? nil)
        case (.observed, nil), (.skipped, nil), (.inconclusive, nil): self.init(verdict: verdict, grade: nil)
        default: return nil
        }
    }
}

extension Substring {
    /// The text without white space at either end.
    fileprivate var trimmed: String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
