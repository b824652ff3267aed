internal import UserVerification

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
