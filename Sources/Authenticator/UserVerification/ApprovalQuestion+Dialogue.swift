extension ApprovalQuestion {
    /// True if the user chooses one of several accounts.
    package var isChoice: Bool { choosesAccount && accounts.count > 1 }

    /// The question for a window, line by line: the same as at a terminal.
    ///
    /// Nothing is left out, so a window needs pages or a bar to scroll by. Text of the peer is quoted, without its
    /// padding; characters that could mislead the eye, or that windows take for markup, are escaped. Where the user
    /// chooses an account, ``dialogueAccounts`` has them.
    package var dialogueLines: [String] { ApprovalPrompt(self, at: .dialogue).lines }

    /// The accounts' names for a window, in their order, quoted likewise.
    package var dialogueAccounts: [String] { ApprovalPrompt(self, at: .dialogue).accounts }

    /// The words on the button of a yes.
    package var dialogueYes: String { [.alreadyRegistered, .noPasskey].contains(operation) ? "Seen" : "Approve" }
}
