internal import LinuxSupport
package import UserVerification

/// Asks in a window of the desktop, for a yes and for one of several accounts.
///
/// The question is the same as at a terminal (`TerminalApproval`), and so is its worth: a yes proves that somebody
/// uses this desktop, and not who. It is user presence, never verification.
package struct DesktopApproval: UserApproval {
    /// Always false.
    package var canVerify: Bool { false }

    private static let displays = ["WAYLAND_DISPLAY", "DISPLAY"]
    private let dialogues: DesktopDialogues
    private let timeout: Duration
    private let report: @Sendable (DialogueError) -> Void

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - timeout: the longest time for an answer.
    ///   - dialogues: have the window; without one a question is refused as `unavailable`.
    ///   - report: is told why a question could not be asked, or had no answer.
    package init(
        timeout: Duration, by dialogues: DesktopDialogues,
        report: @escaping @Sendable (DialogueError) -> Void = { _ in }
    ) {
        self.dialogues = dialogues
        self.timeout = timeout
        self.report = report
    }

    /// True if this process belongs to a desktop.
    package static var hasDisplay: Bool { displays.contains { ProcessEnvironment.value($0) != nil } }

    /// Asks, and waits for the answer.
    package func ask(_ question: ApprovalQuestion) async -> Approval {
        guard !Task.isCancelled else { return .refused(.cancelled) }
        let words = DialogueWords(
            title: question.dialogueTitle, site: question.dialogueSite,
            description: question.dialogueLines.joined("\n"), yes: question.dialogueYes, no: "Refuse")
        do throws(DialogueError) {
            let window = try dialogues.needWindow()
            guard question.isChoice else {
                try await window.confirm(words, within: timeout)
                return .approved(verified: nil, account: 0)
            }
            let account = try await window.choose(words, of: question.dialogueAccounts, within: timeout)
            return .approved(verified: nil, account: account)
        } catch {
            if error.code != .cancelled { report(error) }
            return .refused(error.refusal)
        }
    }
}
