package import UserVerification

/// Asks for a yes or a no in a window in which the no is the default: by a pinentry, or by zenity.
///
/// Not every pinentry has the no as its default: that of GNOME takes space and Enter for a yes. Such a one is not used
/// for this, and zenity asks in its place. A yes that comes too soon is asked for again. Nothing of the text is cut: it
/// is shown in pages, or scrolls, and a text that is too long for that is not asked.
package struct Confirmation: Sendable {
    private let pinentry: Pinentry
    private let clock: QuestionClock

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - pinentry: the pinentry that is asked first; its variables are those of zenity, too.
    ///   - clock: tells whether an answer comes too soon.
    package init(pinentry: Pinentry = Pinentry(), clock: QuestionClock = QuestionClock()) {
        self.pinentry = pinentry
        self.clock = clock
    }

    /// Asks. Returns at a yes.
    ///
    /// - Parameters:
    ///   - dialogue: the words.
    ///   - limit: the longest time for the answer.
    /// - Throws: ``DialogueError``: `declined` or `closed` for a no; `cancelled` soon after its task is cancelled.
    package func ask(_ dialogue: PinentryDialogue, within limit: Duration) async throws(DialogueError) {
        let pages = try dialogue.pages()
        let deadline = ContinuousClock.now + limit
        do throws(DialogueError) {
            try await pinentry.confirm(pages, by: clock, within: limit)
        } catch {
            guard [.unsuited, .noDisplay].contains(error.code),
                let question = ScrollingQuestion(variables: pinentry.variables, clock: clock)
            else { throw error }
            try await question.ask(dialogue, within: max(deadline - .now, .zero))
        }
    }
}

/// Asks for a yes or a no in a window of zenity's whose text can be scrolled.
///
/// The button of a yes can be pressed only once a box is ticked that says that the text was read: no single key is a
/// yes, neither space nor Enter. Observed with zenity 3.44.
struct ScrollingQuestion {
    private static let name = "zenity"

    let clock: QuestionClock
    private let program: DialogueProgram

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - variables: variables of the program's environment, beside ours: for instance `DISPLAY`.
    ///   - clock: tells whether an answer comes too soon.
    /// - Returns: nil if zenity is not installed.
    init?(variables: [String: String], clock: QuestionClock) {
        program = DialogueProgram(name: Self.name, variables: variables)
        self.clock = clock
        guard program.isInstalled else { return nil }
    }

    /// Asks. Returns at a yes.
    ///
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    func ask(_ dialogue: PinentryDialogue, within limit: Duration) async throws(DialogueError) {
        let deadline = ContinuousClock.now + limit
        for _ in 0..<QuestionClock.mostAttempts {
            let rest = deadline - .now
            guard rest > .zero else { throw .timeout }
            let shown = clock.now
            _ = try await program.run(
                [
                    "--text-info", "--title=\(dialogue.title)", "--ok-label=\(dialogue.yes)",
                    "--cancel-label=\(dialogue.no)", "--checkbox=I have read all of this", "--width=560",
                    "--height=420", "--timeout=\(max(rest.components.seconds, 1))",
                ], reading: dialogue.description + "\n", within: rest)
            if !clock.isTooSoon(since: shown) { return }
        }
        throw .tooSoon
    }
}
