internal import LinuxSupport
package import UserVerification

/// Asks in windows of the desktop: for a yes by a pinentry or zenity, and for one of several accounts by zenity.
///
/// The question is the same as at a terminal (`TerminalApproval`), and so is its worth: a yes proves that somebody
/// uses this desktop, and not who. It is user presence, never verification.
package struct DesktopApproval: UserApproval {
    /// Always false.
    package var canVerify: Bool { false }

    private static let title = "Request for a passkey"
    private static let displays = ["WAYLAND_DISPLAY", "DISPLAY"]
    private let confirmation: Confirmation
    private let chooser: AccountChooser?
    private let timeout: Duration
    private let report: @Sendable (DialogueError) -> Void

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - timeout: the longest time for an answer.
    ///   - confirmation: asks for a yes.
    ///   - chooser: asks for one of several accounts; nil if there is no program for that: such a question is refused
    ///     as `unavailable`.
    ///   - report: is told why a question could not be asked, or had no answer.
    package init(
        timeout: Duration, confirmation: Confirmation = Confirmation(), chooser: AccountChooser? = AccountChooser(),
        report: @escaping @Sendable (DialogueError) -> Void = { _ in }
    ) {
        self.timeout = timeout
        self.confirmation = confirmation
        self.chooser = chooser
        self.report = report
    }

    /// True if this process belongs to a desktop.
    package static var hasDisplay: Bool { displays.contains { ProcessEnvironment.value($0) != nil } }

    /// Asks, and waits for the answer.
    package func ask(_ question: ApprovalQuestion) async -> Approval {
        guard !Task.isCancelled else { return .refused(.cancelled) }
        let text = question.dialogueLines.joined(separator: "\n")
        do throws(DialogueError) {
            guard !question.isChoice else {
                return .approved(verified: nil, account: try await choose(of: question.dialogueAccounts, text))
            }
            try await confirmation.ask(
                PinentryDialogue(title: Self.title, description: text, yes: question.dialogueYes, no: "Refuse"),
                within: timeout)
            return .approved(verified: nil, account: 0)
        } catch {
            if error.code != .cancelled { report(error) }
            return .refused(error.refusal)
        }
    }

    private func choose(of accounts: [String], _ text: String) async throws(DialogueError) -> Int {
        guard let chooser else {
            throw DialogueError(
                .missing, reason: "there are \(accounts.count) accounts, and no zenity to choose by")
        }
        return try await chooser.choose(title: Self.title, text: text, accounts: accounts, within: timeout)
    }
}
