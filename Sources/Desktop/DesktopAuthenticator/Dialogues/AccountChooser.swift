internal import LinuxSupport
package import UserVerification

/// Lets the user choose one of several accounts in a window: by kdialog, or by zenity. The first row is none of them.
package struct AccountChooser: Sendable {
    package enum Program: String, Sendable, CaseIterable {
        case zenity, kdialog
    }

    /// Number of windows that may be answered with a yes and no account.
    private static let attempts = 3
    /// The first row, on which a stray key chooses nothing. Names of accounts are in quotation marks.
    private static let noAccount = "none of these: refuse"

    let program: Program
    private let path: String
    private let variables: [String: String]
    private let clock: QuestionClock

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - program: the program; nil for the one of the desktop, or else the one that is there.
    ///   - variables: variables of the program's environment, beside ours: for instance `DISPLAY`.
    ///   - clock: tells whether an answer comes too soon.
    /// - Returns: nil if none is installed.
    package init?(
        _ program: Program? = nil, variables: [String: String] = [:], clock: QuestionClock = QuestionClock()
    ) {
        let isKDE = ProcessEnvironment.value("XDG_CURRENT_DESKTOP")?.uppercased().contains("KDE") == true
        let programs = program.map { [$0] } ?? (isKDE ? [.kdialog, .zenity] : [.zenity, .kdialog])
        guard let found = programs.first(where: { ProgramPath.find($0.rawValue) != nil }) else { return nil }
        self.init(found, at: found.rawValue, variables: variables, clock: clock)
    }

    init(_ program: Program, at path: String, variables: [String: String] = [:], clock: QuestionClock) {
        self.program = program
        self.path = path
        self.variables = variables
        self.clock = clock
    }

    /// Shows the accounts, and waits for the choice.
    ///
    /// Texts of a peer must be escaped and quoted already: then they are neither options nor markup.
    ///
    /// - Parameters:
    ///   - title: the window's title.
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
                throw DialogueError(.failed, reason: "\(program): its answer is not an account")
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
        let rows =
            [(number: "0", name: Self.noAccount)]
            + accounts.enumerated().map { (number: "\($0.offset + 1)", name: $0.element) }
        let dialogue = DialogueProgram(name: path, variables: variables)
        let output =
            switch program {
            case .zenity:
                // The rows come by standard input: no name is an argument.
                try await dialogue.run(
                    zenity(title: title, text: text, within: limit),
                    reading: rows.map { "\($0.number)\n\($0.name)\n" }.joined(), within: limit)
            case .kdialog:
                try await dialogue.run(
                    ["--title", title, "--geometry", "520x320", "--menu", text, "--"]
                        + rows.flatMap { [$0.number, $0.name] },
                    reading: nil, within: limit)
            }
        return String(output.prefix { $0 != "\n" && $0 != "|" })
    }

    private func zenity(title: String, text: String, within limit: Duration) -> [String] {
        // zenity reads escapes of C and markup in a text.
        let escaped = text.replacing("\\", with: "\\\\").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return [
            "--list", "--title=\(title)", "--text=\(escaped)", "--column=number", "--column=account",
            "--hide-column=1", "--print-column=1", "--hide-header", "--width=520", "--height=320",
            "--ok-label=Choose", "--cancel-label=Refuse", "--timeout=\(max(limit.components.seconds, 1))",
        ]
    }
}
