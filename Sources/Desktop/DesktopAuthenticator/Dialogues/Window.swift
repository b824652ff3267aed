package import Cryptography
package import LinuxSupport
package import UserVerification

/// Asks and shows in a window of another program's, by the window contract.
package struct Window: Sendable {
    /// Number of attempts to type a new passphrase.
    private static let attempts = 3

    private let program: DialogueProgram
    private let clock: QuestionClock

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - variables: variables of the program's environment, beside ours: for instance `DISPLAY`.
    ///   - clock: tells whether an answer comes too soon.
    package init(at path: String, variables: [String: String] = [:], clock: QuestionClock = QuestionClock()) {
        program = DialogueProgram(name: path, variables: variables)
        self.clock = clock
    }

    /// Asks for a yes. Returns at one.
    ///
    /// - Parameters:
    ///   - words: the question.
    ///   - limit: the longest time for the answer.
    /// - Throws: ``DialogueError``: `declined` for a no; `cancelled` soon after its task is cancelled.
    package func confirm(_ words: DialogueWords, within limit: Duration) async throws(DialogueError) {
        _ = try await converse(within: limit) { (window) throws(DialogueError) in
            try window.approval(.approval(words.consent), by: clock)
        }
    }

    /// Lets the user choose one of several accounts.
    ///
    /// - Parameters:
    ///   - words: the question.
    ///   - accounts: the accounts' names, one line each.
    ///   - limit: the longest time for the answer.
    /// - Returns: the index of the chosen account.
    /// - Throws: as ``confirm(_:within:)``.
    package func choose(
        _ words: DialogueWords, of accounts: [Sentence], within limit: Duration
    ) async throws(DialogueError) -> Int {
        try await converse(within: limit) { (window) throws(DialogueError) in
            try window.approval(.choice(words.consent, accounts: accounts), of: accounts.count, by: clock)
        }
    }

    /// Asks for a passphrase or a PIN.
    ///
    /// - Returns: the typed secret: UTF-8, 0 to 1024 bytes.
    /// - Throws: as ``confirm(_:within:)``.
    package func secret(_ words: DialogueWords, within limit: Duration) async throws(DialogueError) -> SecretBytes {
        let typed = try await converse(within: limit) { (window) throws(DialogueError) in
            HeldPassphrase(try window.secret(words, isNew: false))
        }
        return typed.take()
    }

    /// Asks for a new passphrase, twice in one window.
    ///
    /// - Parameters:
    ///   - words: the question.
    ///   - limit: the longest time for the answer.
    ///   - objection: tells why a passphrase is not taken; nil if it is.
    /// - Returns: the typed secret, which has met no objection.
    /// - Throws: ``DialogueError``; `declined` after three attempts.
    package func newSecret(
        _ words: DialogueWords, within limit: Duration,
        unless objection: @escaping @Sendable (borrowing SecretBytes) -> Sentence?
    ) async throws(DialogueError) -> SecretBytes {
        let typed = try await converse(within: limit) { (window) throws(DialogueError) in
            var words = words
            for _ in 0..<Self.attempts {
                let typed = try window.secret(words, isNew: true)
                guard let refusal = objection(typed) else { return HeldPassphrase(typed) }
                words.objection = refusal
            }
            throw DialogueError(.declined, reason: words.objection?.english ?? "there was no passphrase")
        }
        return typed.take()
    }

    /// Asks for a number that another device shows.
    ///
    /// - Parameters:
    ///   - words: the question.
    ///   - count: the number of its digits.
    ///   - limit: the longest time for the answer.
    /// - Returns: so many ASCII digits.
    /// - Throws: as ``confirm(_:within:)``.
    package func digits(
        _ words: DialogueWords, count: Int, within limit: Duration
    ) async throws(DialogueError) -> String {
        try await converse(within: limit) { (window) throws(DialogueError) in
            try window.digits(words, count: count)
        }
    }

    /// Shows a step of the user until the task is cancelled, the user closes the window, or the time is up.
    ///
    /// - Throws: as ``confirm(_:within:)``.
    package func show(_ screen: WindowScreen, within limit: Duration) async throws(DialogueError) {
        try await converse(within: limit) { (window) throws(DialogueError) in
            try window.show(screen)
            _ = try window.answer()
        }
    }

    /// The longest times for which an outcome is shown: a good one is closed by the window itself before.
    private static let outcomeLimits = (bad: Duration.seconds(30), good: Duration.seconds(6))

    /// Shows the outcome of a ceremony until the user closes the window, at most for 6 seconds if it is good, and for
    /// 30 if it is not.
    ///
    /// - Throws: ``DialogueError``, but neither `declined` nor `timeout`.
    package func show(outcome words: DialogueWords, isGood: Bool) async throws(DialogueError) {
        do throws(DialogueError) {
            let limit = isGood ? Self.outcomeLimits.good : Self.outcomeLimits.bad
            try await show(.outcome(words, isGood: isGood), within: limit)
        } catch {
            guard error.code == .timeout else { throw error }
        }
    }

    /// Starts the program, and runs `body` on a thread of its own once it can show something.
    func converse<Answer: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (WindowConversation) throws(DialogueError) -> Answer
    ) async throws(DialogueError) -> Answer {
        try await program.converse(within: limit, longestLine: WindowConversation.longestLine) {
            (streams) throws(DialogueError) in
            try body(try WindowConversation(over: streams))
        }
    }
}
