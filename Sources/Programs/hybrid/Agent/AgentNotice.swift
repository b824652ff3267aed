import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Tells the desktop what has happened, by a notification: the outcome, or the cause and the remedy.
enum AgentNotice {
    /// Shows a notification, if there is something to show it, whatever becomes of the calling task: a lock that
    /// cancels it is the news.
    static func tell(_ summary: Sentence, _ body: Sentence, _ reporter: Reporter) async {
        await Task {
            do throws(DBusError) {
                try await DesktopNotice.tell(summary.localized, body.localized, at: .session())
            } catch {
                reporter.say("no notification can be shown: \(reason: error.reason)")
            }
        }.value
    }

    /// Does something and tells the outcome: the sentence, or the failure. A request that the user has declined
    /// is not news.
    static func telling(_ reporter: Reporter, _ work: () async throws -> Sentence) async throws -> Sentence {
        do {
            let sentence = try await work()
            await tell("Passkey request answered", sentence.capitalised, reporter)
            return sentence
        } catch {
            // The reason why the user was not verified, say, and not the answer that the client got.
            await tell(Failure((error as? RequestRefused)?.reason ?? error), reporter)
            throw error
        }
    }

    /// Tells a failure.
    static func tell(_ failure: Failure, _ reporter: Reporter) async {
        guard failure.isNews else { return }
        await tell(OutcomeWindow.failed, "\(failure.text.capitalised).\n\(failure.hint.capitalised).", reporter)
    }
}
