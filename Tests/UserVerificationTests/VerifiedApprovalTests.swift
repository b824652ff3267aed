import Testing
import UserVerification

/// Approvals that count only after a verification of the user.
@Suite struct VerifiedApprovalTests {
    private struct Asking: UserApproval {
        let answer: Approval
        let canVerify = false

        func ask(_ question: ApprovalQuestion) async -> Approval { answer }
    }

    private struct Outcome: Verifier {
        let showsQuestion: Bool
        let failure: VerificationError.Code?

        func verify(_ question: ApprovalQuestion, account: Int?) async throws(VerificationError) {
            if let failure { throw VerificationError(failure, reason: "as told") }
        }
    }

    private static let yes = Approval.approved(verified: false, account: 0)

    @Test(arguments: [true, false]) func whoIsVerifiedApproves(_ showsQuestion: Bool) async {
        let approval = VerifiedApproval(
            asking: Asking(answer: Self.yes), verifier: Outcome(showsQuestion: showsQuestion, failure: nil))
        #expect(
            await approval.ask(Self.question(accounts: 1))
                == .approved(verified: true, account: showsQuestion ? nil : 0))
    }

    @Test(arguments: [
        (VerificationError.Code.declined, Approval.declined), (.timeout, .timedOut), (.cancelled, .cancelled),
        (.notEnrolled, .notEnrolled), (.noMatch, .failed), (.tooManyAttempts, .blocked), (.noAgent, .unavailable),
        (.notInstalled, .unavailable), (.notAsked, .unavailable), (.notPermitted, .unavailable),
        (.noService, .unavailable), (.noDevice, .unavailable), (.deviceBusy, .unavailable), (.lost, .unavailable),
        (.serviceFailed, .unavailable),
    ])
    func everyFailureHasItsAnswer(_ failure: VerificationError.Code, _ expected: Approval) async {
        await confirmation { reported in
            let approval = VerifiedApproval(
                asking: Asking(answer: Self.yes), verifier: Outcome(showsQuestion: true, failure: failure)
            ) { error in
                #expect(error.code == failure)
                reported()
            }
            #expect(await approval.ask(Self.question(accounts: 1)) == expected)
        }
    }

    @Test(arguments: [Approval.declined, .timedOut, .cancelled, .unavailable])
    func nobodyIsVerifiedWhoDidNotApprove(_ answer: Approval) async {
        let approval = VerifiedApproval(
            asking: Asking(answer: answer), verifier: Outcome(showsQuestion: false, failure: nil))
        #expect(await approval.ask(Self.question(accounts: 1)) == answer)
    }

    @Test func anAccountIsChosenBeforeTheDialogue() async {
        let approval = VerifiedApproval(
            asking: Asking(answer: .approved(verified: false, account: 1)),
            verifier: Outcome(showsQuestion: true, failure: nil))
        #expect(await approval.ask(Self.question(accounts: 2)) == .approved(verified: true, account: 1))
    }

    @Test func withoutATerminalTheDialogueIsForTheNewestAccount() async {
        let approval = VerifiedApproval(
            asking: Asking(answer: .unavailable), verifier: Outcome(showsQuestion: true, failure: nil))
        #expect(await approval.ask(Self.question(accounts: 2)) == .approved(verified: true, account: nil))
    }

    private static func question(accounts: Int) -> ApprovalQuestion {
        ApprovalQuestion(
            operation: .signIn, rpID: "example.com",
            accounts: (0..<accounts).map { .init(name: "account \($0)", displayName: nil) })
    }
}

/// A question as one sentence.
@Suite struct ApprovalSentenceTests {
    @Test(arguments: [
        (ApprovalQuestion.Operation.register, #"make a passkey for the site "example.com", account "alice""#),
        (.signIn, #"sign in to the site "example.com", account "alice""#),
        (.alreadyRegistered, #"tell the site "example.com" that there is a passkey of its here already"#),
        (.select, "use this machine as the authenticator"),
    ])
    func itSaysWhatWhereAndWho(_ operation: ApprovalQuestion.Operation, _ sentence: String) {
        #expect(Self.question(operation, ["alice"]).sentence(account: nil) == sentence)
    }

    @Test func itNamesTheAccountThatWasChosen() {
        let question = Self.question(.signIn, ["alice", "bob"])
        #expect(question.sentence(account: 1).hasSuffix(#", account "bob""#))
        #expect(question.sentence(account: nil).hasSuffix(#", account "alice", the newest of 2"#))
    }

    @Test func nothingInItMisleads() {
        let question = ApprovalQuestion(
            operation: .signIn, rpID: "pаypal.com", accounts: [.init(name: "<a>\n$(x)&\u{202e}", displayName: nil)])
        #expect(
            question.sentence(account: nil)
                == #"sign in to the site "p\u{430}ypal.com", account "\u{3c}a\u{3e}\n\u{24}(x)\u{26}\u202e""#)
    }

    @Test func itStaysShort() {
        let question = Self.question(.signIn, [String(repeating: "x", count: 300_000)])
        #expect(question.sentence(account: nil).count < 200)
    }

    private static func question(_ operation: ApprovalQuestion.Operation, _ names: [String]) -> ApprovalQuestion {
        ApprovalQuestion(
            operation: operation, rpID: "example.com", accounts: names.map { .init(name: $0, displayName: nil) })
    }
}
