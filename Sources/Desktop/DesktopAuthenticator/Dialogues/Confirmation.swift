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
