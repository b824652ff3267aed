import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport
import UserVerification

/// The place of the question that is the touch of a phone's key.
struct PhoneQuestionOption: ParsableArguments {
    enum Place: String, ExpressibleByArgument, CaseIterable {
        case terminal, notification, desktop
    }

    @Option(
        help: ArgumentHelp(
            """
            Where you are asked for permission to use your phone: terminal; notification, one of the desktop's, or a \
            window where these have no buttons; or desktop, a window of pinentry. (default: the terminal; without one, \
            a notification)
            """, valueName: "where"))
    var ask: Place?

    /// - Throws: ``Failure`` if there is no way to ask.
    func approval(within limit: Duration, _ reporter: Reporter) throws -> any UserApproval {
        let window = DesktopApproval(timeout: limit) { error in
            guard error.refusal == .unavailable else { return }
            reporter.warn(error.code.rawValue, error.reason)
        }
        switch ask ?? (StandardStreams.hasControllingTerminal ? .terminal : .notification) {
        case .terminal:
            guard StandardStreams.hasControllingTerminal else {
                throw Failure.usage(
                    "there is no terminal to ask you at",
                    hint: "run this in a terminal, or give --ask notification in a desktop session")
            }
            return TerminalApproval(timeout: limit)
        case .notification:
            return NotifyingApproval(
                timeout: limit, notification: Self.notification, dialogue: { window }, reporter: reporter)
        case .desktop:
            return window
        }
    }

    private static func notification(of question: ApprovalQuestion) -> DesktopNotification {
        DesktopNotification(
            summary: question.title,
            body: "A program asks its security key. Your phone hears of it when you say so. To use another key that is "
                + "plugged in, touch that one.",
            withoutButtons: "", answerLabel: "Use phone")
    }
}
