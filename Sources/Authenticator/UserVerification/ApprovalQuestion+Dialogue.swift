package import LinuxSupport

extension ApprovalQuestion {
    /// True if the user chooses one of several accounts.
    package var isChoice: Bool { choosesAccount && accounts.count > 1 }

    /// The question for a window in one sentence: the same as at a terminal.
    ///
    /// Text of the peer is quoted, without its padding; characters that could mislead the eye, or that windows take for
    /// markup, are escaped.
    package var dialogueTitle: Sentence { ApprovalPrompt(self, at: .dialogue).title }

    /// The site that asks, in ASCII, whole; nil if none does.
    package var dialogueSite: String? {
        ApprovalPrompt(self, at: .dialogue).hasSite ? String(Self.dialogueSite(rpID).dropFirst().dropLast()) : nil
    }

    /// The rest of the question, line by line. Nothing is left out, so a window needs a bar to scroll by. Where the
    /// user chooses an account, ``dialogueAccounts`` has them.
    package var dialogueLines: [Sentence] {
        let prompt = ApprovalPrompt(self, at: .dialogue)
        return (prompt.siteName.map { ["calls itself: \($0)"] } ?? []) + prompt.rest
    }

    /// The accounts' names for a window, in their order, quoted likewise.
    package var dialogueAccounts: [Sentence] { ApprovalPrompt(self, at: .dialogue).accounts }

    /// The words on the button of a yes.
    package var dialogueYes: Sentence { [.alreadyRegistered, .noPasskey].contains(operation) ? "Seen" : "Approve" }
}
