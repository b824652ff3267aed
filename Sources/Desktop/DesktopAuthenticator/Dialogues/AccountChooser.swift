internal import LinuxSupport

/// Lets the user choose one of several accounts in a window: by kdialog, or by zenity.
package struct AccountChooser: Sendable {
    package enum Program: String, Sendable, CaseIterable {
        case zenity, kdialog
    }

    /// Exit statuses of both programs.
    private enum ExitStatus {
        static let chosen: Int32 = 0
        /// A no, or a closed window.
        static let refused: Int32 = 1
        /// zenity's, when its own time limit is over.
        static let timeout: Int32 = 5
    }

    /// Number of windows that may be answered with a yes and no account.
    private static let attempts = 3
    /// The longest output that is read: the number of an account, and more than a program adds to it.
    private static let longestOutput = 4_096

    let program: Program
    private let variables: [String: String]

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - program: The program; nil for the one of the desktop, or else the one that is there.
    ///   - variables: Variables of the program's environment, beside ours: for instance `DISPLAY`.
    /// - Returns: Nil if none is installed.
    package init?(_ program: Program? = nil, variables: [String: String] = [:]) {
        let isKDE = ProcessEnvironment.value("XDG_CURRENT_DESKTOP")?.uppercased().contains("KDE") == true
        let programs = program.map { [$0] } ?? (isKDE ? [.kdialog, .zenity] : [.zenity, .kdialog])
        guard let found = programs.first(where: { ProgramPath.find($0.rawValue) != nil }) else { return nil }
        self.program = found
        self.variables = variables
    }

    /// Shows the accounts, and waits for the choice.
    ///
    /// Texts of a peer must be escaped and quoted already: then they are neither options nor markup.
    ///
    /// - Parameters:
    ///   - title: The window's title.
    ///   - text: What is asked.
    ///   - accounts: The accounts' names, one line each.
    ///   - limit: The longest time for the answer.
    /// - Returns: The index of the chosen account.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    package func choose(
        title: String, text: String, accounts: [String], within limit: Duration
    ) async throws(DialogueError) -> Int {
        let deadline = ContinuousClock.now + limit
        for _ in 0..<Self.attempts {
            let rest = deadline - .now
            guard rest > .zero else { throw .timeout }
            let output = try await run(title: title, text: text, accounts: accounts, within: rest)
            if let number = Int(output), accounts.indices.contains(number - 1) { return number - 1 }
            guard output.isEmpty else { throw failed("its answer is no account") }
        }
        throw DialogueError(.declined, reason: "no account was chosen")
    }

    /// - Returns: The program's output, without the line's end.
    private func run(
        title: String, text: String, accounts: [String], within limit: Duration
    ) async throws(DialogueError) -> String {
        let numbered = accounts.enumerated().map { (number: "\($0.offset + 1)", name: $0.element) }
        do {
            let (output, end) =
                switch program {
                case .zenity:
                    // The rows come by standard input: no name is an argument.
                    try await ChildProgram.run(
                        dialogue: zenity(title: title, text: text, within: limit), variables: variables,
                        input: .bytes(Array(numbered.map { "\($0.number)\n\($0.name)\n" }.joined().utf8)),
                        limits: .init(time: limit, length: Self.longestOutput))
                case .kdialog:
                    try await ChildProgram.run(
                        dialogue: ["kdialog", "--title", title, "--geometry", "520x320", "--menu", text, "--"]
                            + numbered.flatMap { [$0.number, $0.name] },
                        variables: variables, input: .none,
                        limits: .init(time: limit, length: Self.longestOutput))
                }
            switch end {
            case .exited(ExitStatus.chosen):
                return String(String(decoding: output, as: UTF8.self).prefix { $0 != "\n" && $0 != "|" })
            case .exited(ExitStatus.refused): throw DialogueError(.declined, reason: "declined")
            case .exited(ExitStatus.timeout) where program == .zenity: throw DialogueError.timeout
            default: throw DialogueError(.noDisplay, reason: "\(program) cannot be shown: it may have no display")
            }
        } catch let error as DialogueError {
            throw error
        } catch let problem as ChildProgram.Problem {
            switch problem {
            case .timeUp: throw .timeout
            case .missing: throw DialogueError(.missing, reason: "\(program) is not installed")
            case .tooLong: throw failed("its answer is too long")
            case .failed(let cause): throw failed("it cannot be run: \(cause)")
            }
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw failed("\(error)")
        }
    }

    private func zenity(title: String, text: String, within limit: Duration) -> [String] {
        // zenity reads escapes of C and markup in a text.
        let escaped = text.replacing("\\", with: "\\\\").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return [
            "zenity", "--list", "--title=\(title)", "--text=\(escaped)", "--column=number", "--column=account",
            "--hide-column=1", "--print-column=1", "--hide-header", "--width=520", "--height=320",
            "--ok-label=Choose", "--cancel-label=Refuse", "--timeout=\(max(limit.components.seconds, 1))",
        ]
    }

    private func failed(_ cause: String) -> DialogueError { DialogueError(.failed, reason: "\(program): \(cause)") }
}
