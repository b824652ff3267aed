import LinuxSupport
import Testing

@testable import UserVerification

/// The question in a window: the same as at a terminal, and as whole.
@Suite struct DialogueTextTests {
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
            ApprovalPrompt(question, at: .dialogue).lines.map(\.english) == [
                "Make a passkey on this machine?", #"site: "example.org", which calls itself "Example""#,
                #"account: "alice", "Alice A.""#,
                "replaces the passkey of this account: the old one will no longer work",
            ])
        let terminal = ApprovalPrompt(question).lines.map(\.english).map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(ApprovalPrompt(question, at: .dialogue).lines.map(\.english) == terminal)
    }

    @Test func `a window has the title, the site and the rest apart, and together they are all of it`() {
        for (rpName, added) in [("Example", ["calls itself: \"Example\""]), ("example.org", [])] {
            let question = ApprovalQuestion(
                operation: .register, rpID: "ex\u{E4}mple.org",
                rpName: rpName == "Example" ? rpName : "ex\u{E4}mple.org",
                accounts: [.init(name: "alice", displayName: nil)], replaced: .init(created: nil))
            #expect(question.dialogueTitle == "Make a passkey on this machine?")
            #expect(question.dialogueSite == "ex\\u{e4}mple.org")
            #expect(
                question.dialogueLines.map(\.english) == added + [
                    #"account: "alice""#, "replaces the passkey of this account: the old one will no longer work",
                ])
        }
        #expect(Self.handOver.dialogueSite == nil)
        #expect(Self.handOver.dialogueLines.map(\.english).count == 6)
    }

    @Test func `a name that says nothing more is not told twice`() {
        let question = ApprovalQuestion(
            operation: .signIn, rpID: "example.org", rpName: "example.org",
            accounts: [.init(name: "alice", displayName: "alice")])
        #expect(
            ApprovalPrompt(question, at: .dialogue).lines.map(\.english).suffix(2) == [
                #"site: "example.org""#, #"account: "alice""#,
            ])
    }

    @Test(arguments: hostile) func `no text of the peer's is markup, or a line of its own`(
        _ name: String
    ) {
        let account = ApprovalQuestion.Account(name: name, displayName: name)
        for rpID in [name, "example.org"] {
            let question = ApprovalQuestion(
                operation: .register, rpID: rpID, rpName: name, accounts: [account], replaced: .init(created: nil))
            let lines = ApprovalPrompt(question, at: .dialogue).lines.map(\.english)
            #expect(lines.count == 4)
            let text = lines.joined(separator: "%0A").replacing("%", with: "%25")
            #expect(!text.contains { "<>&$\n\r".contains($0) || $0 == "\u{202E}" })
            #expect(lines.last?.hasPrefix("replaces ") == true)
        }
        let choice = ApprovalQuestion(operation: .signIn, rpID: "example.org", accounts: [account, account])
        #expect(choice.isChoice && ApprovalPrompt(choice, at: .dialogue).lines.map(\.english).count == 2)
        #expect(
            choice.dialogueAccounts.map(\.english).allSatisfy {
                $0.hasPrefix("\"") && !$0.contains("\n") && !$0.contains("<")
            })
    }

    @Test(arguments: ["\u{3164}", "\u{2800}\u{2800}", " \u{115F} \u{1160}", "\u{FFA0}", "\u{34F}\u{FE0F}"])
    func `an account that would look empty is seen`(_ name: String) {
        let question = ApprovalQuestion(
            operation: .signIn, rpID: "example.org", accounts: [.init(name: name, displayName: nil)])
        for lines in [
            ApprovalPrompt(question, at: .dialogue).lines.map(\.english), ApprovalPrompt(question).lines.map(\.english),
        ] {
            #expect(lines.last?.contains(#"account: "\u"#) == true, "\(lines)")
        }
    }

    @Test func `a long name is shown whole, a site too, and its padding is not`() {
        let site = String(repeating: "login.", count: 40) + "evil.example"
        let padded = "mallory" + String(repeating: " \u{A0}\u{3164}", count: 30) + "of bank.example"
        let question = ApprovalQuestion(
            operation: .signIn, rpID: site, rpName: String(repeating: "n", count: 256),
            accounts: [.init(name: padded, displayName: nil)])
        for lines in [
            ApprovalPrompt(question, at: .dialogue).lines.map(\.english), ApprovalPrompt(question).lines.map(\.english),
        ] {
            #expect(lines[1].contains("\"\(site)\""))
            #expect(lines[1].hasSuffix("calls itself \"\(String(repeating: "n", count: 256))\""))
            #expect(lines[2].hasSuffix(#""mallory of bank.example""#))
        }
    }

    /// A hand-over of five passkeys.
    static let handOver = ApprovalQuestion(
        operation: .receivePasskeys, rpID: "", rpName: "mallory",
        details: ["a.example, alice", "b.example, alice", "c.example, alice"]
            + ["bank.example, mallory's account", "mail.example, mallory"])

    @Test func `each passkey of a hand-over is shown, in a window and at a terminal`() {
        for lines in [
            ApprovalPrompt(Self.handOver, at: .dialogue).lines.map(\.english),
            ApprovalPrompt(Self.handOver).lines.map(\.english),
        ] {
            let passkeys = lines.filter { $0.contains("passkey:") }.map { $0.drop { $0 != "\"" } }
            #expect(passkeys == Self.handOver.details.map { "\"\($0)\"" })
            #expect(!lines.contains { $0.contains("more") })
        }
    }

    @Test(arguments: [ApprovalQuestion.Operation.movePasskeys, .copyPasskeys, .settlePasskeys])
    func `what is in transit is named with its earlier receiver, and that it will be removed`(
        _ operation: ApprovalQuestion.Operation
    ) {
        let question = ApprovalQuestion(
            operation: operation, rpID: "", rpName: "mallory", requiresVerification: true,
            details: operation == .settlePasskeys ? [] : ["a.example, alice"],
            inTransit: [
                .init(passkey: "bank.example, alice", receiver: "bob", isProven: true),
                .init(passkey: "mail.example, alice", receiver: "old \u{202E}bob", isProven: false),
            ])
        for lines in [
            ApprovalPrompt(question, at: .dialogue).lines.map(\.english), ApprovalPrompt(question).lines.map(\.english),
        ] {
            #expect(lines.first?.contains("will be removed from this vault") == true)
            #expect(lines.contains { $0.contains("\"mallory\"") })
            let sent = lines.filter { $0.contains("removes:") }.map { $0.drop { $0 != "\"" } }
            #expect(
                sent == [
                    #""bank.example, alice", in transit to "bob""#,
                    #""mail.example, alice", in transit to "old bob", which could not prove its identity then"#,
                ])
        }
        let sentence = question.sentence(account: nil)
        for word in ["mallory", "remove from this vault", "bank.example, alice, in transit to bob"] {
            #expect(sentence.contains(word))
        }
    }
}
