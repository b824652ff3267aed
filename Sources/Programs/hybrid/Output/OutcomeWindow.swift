import CTAP
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import UserVerification

/// Tells in a window what has become of a ceremony, where its user is asked or shown a code in one: nobody reads
/// standard error there. The next outcome takes the place of the one before.
actor OutcomeWindow {
    /// The title of a failure.
    static let failed: Sentence = "Passkey request failed"

    private let window: Window?
    private let reporter: Reporter
    private var shown: Task<Void, Never>?

    /// Makes one. Nothing is shown; nothing ever is without a window.
    init(in window: Window?, _ reporter: Reporter) {
        self.window = window
        self.reporter = reporter
    }

    /// Shows an outcome until the user closes the window, its time is up, or the task is cancelled.
    func show(_ outcome: Outcome) async {
        let task = begin(outcome)
        await withTaskCancellationHandler {
            await task?.value
        } onCancel: {
            task?.cancel()
        }
    }

    /// Reports events to a listener, and shows what has become of each ceremony while the caller goes on.
    nonisolated func listener(before listener: @escaping EventListener) -> EventListener {
        { event in
            listener(event)
            let outcome: Outcome? =
                switch event as? AgentEvent {
                case .answered(let answers): .done(answers.sentence)
                case .wakeFailed(let error): .failed(Failure(error))
                default: nil
                }
            if let outcome { Task { await self.begin(outcome) } }
        }
    }

    @discardableResult private func begin(_ outcome: Outcome) -> Task<Void, Never>? {
        guard let window, let (words, isGood) = outcome.words else { return nil }
        shown?.cancel()
        let task = Task { [reporter] in
            do throws(DialogueError) {
                try await window.show(outcome: words, isGood: isGood)
            } catch {
                // A window that cannot be shown may be the very failure.
                if case .failed(let failure) = outcome, failure.code == error.code.rawValue { return }
                guard error.refusal == .unavailable else { return }
                reporter.warn(error.code.rawValue, Sentence(reason: error.reason))
            }
        }
        shown = task
        return task
    }
}

extension Outcome {
    /// The words of the window, and whether it is good; nil for no news.
    fileprivate var words: (DialogueWords, isGood: Bool)? {
        switch self {
        case .done(let sentence): (DialogueWords(title: sentence.capitalised, description: "", no: "Close"), true)
        case .failed(let failure) where failure.isNews:
            (
                DialogueWords(
                    title: OutcomeWindow.failed,
                    description: "\(failure.text.capitalised).\n\(failure.hint.capitalised).", no: "Close"), false
            )
        case .failed: nil
        }
    }
}

extension Failure {
    /// False for an act of the user: an interruption, or a no.
    var isNews: Bool {
        let isNo = code == "declined" && [nil, CTAPStatus.operationDenied.rawValue].contains(ctapStatus)
        return status != .interrupted && !isNo
    }
}
