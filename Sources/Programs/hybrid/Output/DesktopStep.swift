import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import UserVerification

/// Shows the next step of the user on the desktop, where nobody reads standard error: as a notification, or in a window
/// where no notification can be shown. The next step takes the place of the one before.
actor DesktopStep {
    private static let title: Sentence = "Passkey request"

    /// The longest time for which a step is shown.
    private let limit: Duration
    private let dialogues: DesktopDialogues
    private let reporter: Reporter
    private var notice: StepNotice?
    /// False after a notification could not be shown.
    private var showsNotices = true
    private var window: Task<Void, Never>?

    /// Makes one. Nothing is shown.
    init(by dialogues: DesktopDialogues, limit: Duration, reporter: Reporter) {
        self.dialogues = dialogues
        self.limit = limit
        self.reporter = reporter
    }

    /// Shows a step; nil takes the last one away.
    func show(_ step: Sentence?) async {
        window?.cancel()
        _ = await window?.value
        window = nil
        guard let step else {
            await notice?.takeAway()
            notice = nil
            showsNotices = true
            return
        }
        reporter.say(step)
        let text = step.capitalised
        guard await !showNotice(text) else { return }
        window = Task { [limit, dialogues, reporter] in
            do throws(DialogueError) {
                let words = DialogueWords(title: Self.title, description: text)
                try await dialogues.needWindow().show(.step(words), within: limit)
            } catch {
                guard error.refusal == .unavailable else { return }
                reporter.warn(error.code.rawValue, Sentence(reason: error.reason), role: .authenticator)
            }
        }
    }

    /// - Returns: false if no notification can be shown.
    private func showNotice(_ text: Sentence) async -> Bool {
        guard showsNotices else { return false }
        do throws(DBusError) {
            let notice = if let notice { notice } else { try await StepNotice.connect(to: .session()) }
            self.notice = notice
            try await notice.show(Self.title.localized, text.localized, for: limit)
            return true
        } catch {
            // A cancelled caller is told that it is over.
            guard error.code != .cancelled else { return true }
            reporter.say("no notification can be shown: \(reason: error.reason)")
            showsNotices = false
            return false
        }
    }
}
