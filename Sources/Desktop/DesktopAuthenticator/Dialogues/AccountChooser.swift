internal import LinuxSupport
package import UserVerification

/// Lets the user choose one of several accounts in a window of zenity's.
///
/// The question, with its site, stands in the first rows of the list, and then one that is none of the accounts: rows
/// come by standard input. Arguments can be read by every user of this machine, and kdialog takes its rows as such.
package struct AccountChooser: Sendable {
    private static let program = "zenity"
    /// Number of windows that may be answered with a yes and no account.
    private static let attempts = 3
    /// The longest row of the question, in Unicode scalars: the list does not break lines.
    private static let longestRow = 56
    /// The row that chooses nothing, as those of the question before it, on which a stray key falls. Names of accounts
    /// are in quotation marks.
    private static let noAccount = "none of these: refuse"

    private let path: String
    private let variables: [String: String]
    private let clock: QuestionClock

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - variables: variables of the program's environment, beside ours: for instance `DISPLAY`.
    ///   - clock: tells whether an answer comes too soon.
    /// - Returns: nil if it is not installed.
    package init?(variables: [String: String] = [:], clock: QuestionClock = QuestionClock()) {
        guard ProgramPath.find(Self.program) != nil else { return nil }
        self.init(at: Self.program, variables: variables, clock: clock)
    }

    init(at path: String, variables: [String: String] = [:], clock: QuestionClock) {
        self.path = path
        self.variables = variables
        self.clock = clock
    }

    /// Shows the accounts, and waits for the choice.
    ///
    /// Texts of a peer must be escaped and quoted already: then they are neither rows of their own nor markup.
    ///
    /// - Parameters:
    ///   - title: the window's title, in which there is nothing of a peer's.
    ///   - text: what is asked.
    ///   - accounts: the accounts' names, one line each.
    ///   - limit: the longest time for the answer.
    /// - Returns: the index of the chosen account.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    package func choose(
        title: String, text: String, accounts: [String], within limit: Duration
    ) async throws(DialogueError) -> Int {
        let deadline = ContinuousClock.now + limit
        for _ in 0..<Self.attempts {
            let rest = deadline - .now
            guard rest > .zero else { throw .timeout }
            let shown = clock.now
            let output = try await run(title: title, text: text, accounts: accounts, within: rest)
            guard !output.isEmpty else { continue }
            guard let number = Int(output), (0...accounts.count).contains(number) else {
                throw DialogueError(.failed, reason: "\(Self.program): its answer is not an account")
            }
            guard number > 0 else { throw DialogueError(.declined, reason: "declined") }
            if !clock.isTooSoon(since: shown) { return number - 1 }
        }
        throw DialogueError(.declined, reason: "no account was chosen")
    }

    /// - Returns: the program's output, without the line's end.
    private func run(
        title: String, text: String, accounts: [String], within limit: Duration
    ) async throws(DialogueError) -> String {
        let question = text.split(separator: "\n").flatMap(Self.broken).map { (number: "0", name: $0) }
        let rows =
            question + [(number: "0", name: Self.noAccount)]
            + accounts.enumerated().map { (number: "\($0.offset + 1)", name: $0.element) }
        let output = try await DialogueProgram(name: path, variables: variables).run(
            [
                "--list", "--title=\(title)", "--text=Choose an account:", "--column=number", "--column=account",
                "--hide-column=1", "--print-column=1", "--hide-header", "--width=520", "--height=320",
                "--ok-label=Choose", "--cancel-label=Refuse", "--timeout=\(max(limit.components.seconds, 1))",
            ], reading: rows.map { "\($0.number)\n\($0.name)\n" }.joined(), within: limit)
        return String(output.prefix { $0 != "\n" && $0 != "|" })
    }

    /// A line in rows that are seen whole.
    private static func broken(_ line: Substring) -> [String] {
        var (rows, rest) = ([] as [String], line.unicodeScalars)
        while !rest.isEmpty {
            rows.append(String(rest.prefix(longestRow)))
            rest = rest.dropFirst(longestRow)
        }
        return rows
    }
}
