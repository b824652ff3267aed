/// Known deviations, by the case's ID, each with a reason: a run in which nothing else deviates passes.
public struct KnownDeviations: Sendable {
    private let reasons: [String: String]

    /// No known deviations.
    public init() { reasons = [:] }

    init(reasons: [String: String]) { self.reasons = reasons }

    /// Reads a file's text.
    ///
    /// - Parameter text: a case's ID, white space and a reason on each line; empty lines, and lines that begin with
    ///   `#`, are skipped.
    /// - Throws: ``RunnerError`` with `invalid-known` for a line without a reason.
    public init(parsing text: String) throws(RunnerError) {
        var reasons: [String: String] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
            guard let id = parts.first, !id.hasPrefix("#") else { continue }
            let reason = parts.dropFirst().joined().split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !reason.isEmpty else {
                throw RunnerError(.invalidKnown, reason: "line \(index + 1) has no reason after the case's ID")
            }
            reasons[id] = reason
        }
        self.reasons = reasons
    }

    /// The reason why a case is known to deviate; nil if it is not.
    public subscript(id: String) -> String? { reasons[id] }

    /// The IDs.
    public var ids: Set<String> { Set(reasons.keys) }
}
