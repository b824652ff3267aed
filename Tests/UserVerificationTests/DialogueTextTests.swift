import Testing

@testable import UserVerification

/// The question in a window: the same as at a terminal, within what a window takes.
@Suite struct DialogueTextTests {
    /// What a line of Assuan holds, less the command and the signs that it escapes.
    private static let longestText = 960

    /// Names that would be the longest, or mislead.
    private static let hostile = [
        String(repeating: "\u{10FFFF}", count: 300), String(repeating: "<b>", count: 100),
        String(repeating: "\u{202E}", count: 100), String(repeating: "\n", count: 100),
        "--help", "&amp;<span size='99999'>", "$PATH %n \\n",
    ]

    @Test func `the lines are those of the terminal, without its indentation`() {
        let question = ApprovalQuestion(
            operation: .register, rpID: "example.org", rpName: "Example",
            accounts: [.init(name: "alice", displayName: "Alice A.")], replaced: .init(created: nil))
        #expect(
            question.dialogueLines == [
                "Make a passkey on this machine?", #"site: "example.org", which calls itself "Example""#,
                #"account: "alice", "Alice A.""#,
                "replaces the passkey of this account: the old one will no longer work",
            ])
        let terminal = ApprovalPrompt(question).lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(question.dialogueLines == terminal)
    }

    @Test func `a name that says nothing more is not told twice`() {
        let question = ApprovalQuestion(
            operation: .signIn, rpID: "example.org", rpName: "example.org",
            accounts: [.init(name: "alice", displayName: "alice")])
        #expect(question.dialogueLines.suffix(2) == [#"site: "example.org""#, #"account: "alice""#])
    }

    @Test(arguments: hostile) func `no text of the peer's is markup, a line of its own, or longer than the window`(
        _ name: String
    ) {
        let account = ApprovalQuestion.Account(name: name, displayName: name)
        for rpID in [name, "example.org"] {
            let question = ApprovalQuestion(
                operation: .register, rpID: rpID, rpName: name, accounts: [account], replaced: .init(created: nil))
            let lines = question.dialogueLines
            #expect(lines.count == 4)
            let text = lines.joined(separator: "%0A").replacing("%", with: "%25")
            #expect(text.utf8.count <= Self.longestText)
            #expect(!text.contains { "<>&$\n\r".contains($0) || $0 == "\u{202E}" })
            #expect(lines.last?.hasPrefix("replaces ") == true)
        }
        let choice = ApprovalQuestion(operation: .signIn, rpID: "example.org", accounts: [account, account])
        #expect(choice.isChoice && choice.dialogueLines.count == 2)
        #expect(choice.dialogueAccounts.allSatisfy { $0.hasPrefix("\"") && !$0.contains("\n") && !$0.contains("<") })
    }

    @Test func `the end of a long site is shown, where its owner stands`() {
        let site = String(repeating: "login.", count: 50) + "evil.example"
        let lines = ApprovalQuestion(operation: .signIn, rpID: site).dialogueLines
        #expect(lines.last?.hasPrefix("site: \"…") == true && lines.last?.hasSuffix(".evil.example\"") == true)
    }
}
