import Testing

@testable import UserVerification

/// Approvals that count only after a verification of the user.
@Suite struct VerifiedApprovalTests {
    private struct Asking: UserApproval {
        let answer: Answer
        let canVerify = false

        func ask(_ question: ApprovalQuestion) async -> Approval {
            switch answer {
            case .yes(let account): .approved(verified: nil, account: account)
            case .refused(let refusal): .refused(refusal)
            }
        }
    }

    private struct Outcome: Verifier {
        let showsQuestion: Bool
        let failure: VerificationError.Code?
        /// True for a dialogue that takes one sentence.
        var isBrief = false
        var method: Verified.Method { .test }
        var time = ContinuousClock.now
        /// True if the task is cancelled while the user is verified.
        var isCancelled = false

        func showsWhole(_ question: ApprovalQuestion, account: Int?) -> Bool {
            showsQuestion && (!isBrief || question.isWholeInSentence(account: account))
        }

        func verify(
            _ question: ApprovalQuestion, account: Int?
        ) async throws(VerificationError) -> ContinuousClock.Instant {
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            if let failure { throw VerificationError(failure, reason: "as told") }
            return time
        }
    }

    /// An answer of another approval.
    enum Answer: Sendable {
        case yes(account: Int?)
        case refused(Approval.Refusal)
    }

    private static let yes = Answer.yes(account: 0)

    @Test(arguments: [true, false]) func whoIsVerifiedApproves(_ showsQuestion: Bool) async {
        let verifier = Outcome(showsQuestion: showsQuestion, failure: nil)
        let approval = VerifiedApproval(asking: Asking(answer: Self.yes), verifier: verifier)
        let question = Self.question(accounts: 1)
        let outcome = ApprovalOutcome(await approval.ask(question))
        #expect(outcome == .init(method: verifier.method, account: showsQuestion ? nil : 0))
        #expect(outcome.instant == verifier.time)
        #expect(outcome.subject == Verified.Subject(question))
    }

    @Test func whatIsVerifiedCoversItsQuestionOnlyAndForAWhileOnly() {
        let question = Self.question(accounts: 1)
        let now = ContinuousClock.now
        let verified = Verified(question, by: .polkit, at: now)
        let (atOnce, atLast) = (verified.covers(question, at: now), verified.covers(question, at: now + .seconds(120)))
        #expect(atOnce && atLast)
        let (late, early) = (
            verified.covers(question, at: now + .seconds(121)), verified.covers(question, at: now - .seconds(1))
        )
        #expect(!late && !early)
        let other = verified.covers(ApprovalQuestion(operation: .signIn, rpID: "example.org"), at: now)
        let another = verified.covers(ApprovalQuestion(operation: .register, rpID: "example.com"), at: now)
        #expect(!other && !another)
    }

    @Test func theLabsVerifierSaysSoAtEachUse() async {
        await confirmation(expectedCount: 2) { told in
            let approval = VerifiedApproval(
                asking: AutomaticApproval(claimsVerification: false), verifier: LabVerifier { told() })
            for _ in 0..<2 {
                #expect(
                    ApprovalOutcome(await approval.ask(Self.question(accounts: 2))) == .init(method: .lab, account: nil)
                )
            }
        }
        let claimed = await AutomaticApproval(claimsVerification: true).ask(Self.question(accounts: 1))
        #expect(ApprovalOutcome(claimed) == .init(method: .lab, account: nil))
        let present = await AutomaticApproval(claimsVerification: false).ask(Self.question(accounts: 1))
        #expect(ApprovalOutcome(present) == .init(method: nil, account: nil))
    }

    @Test(arguments: [
        (VerificationError.Code.declined, Approval.Refusal.declined), (.timeout, .timedOut), (.cancelled, .cancelled),
        (.notEnrolled, .notEnrolled), (.noMatch, .failed), (.tooManyAttempts, .blocked), (.noAgent, .unavailable),
        (.notInstalled, .unavailable), (.notAsked, .unavailable), (.notPermitted, .unavailable),
        (.noService, .unavailable), (.noDevice, .unavailable), (.deviceBusy, .unavailable), (.lost, .unavailable),
        (.serviceFailed, .unavailable),
    ])
    func everyFailureHasItsAnswer(_ failure: VerificationError.Code, _ expected: Approval.Refusal) async {
        await confirmation { reported in
            let approval = VerifiedApproval(
                asking: Asking(answer: Self.yes), verifier: Outcome(showsQuestion: true, failure: failure)
            ) { error in
                #expect(error.code == failure)
                reported()
            }
            #expect(ApprovalOutcome(await approval.ask(Self.question(accounts: 1))) == .init(refusal: expected))
        }
    }

    @Test(arguments: [Approval.Refusal.declined, .timedOut, .cancelled, .unavailable])
    func nobodyIsVerifiedWhoDidNotApprove(_ answer: Approval.Refusal) async {
        let approval = VerifiedApproval(
            asking: Asking(answer: .refused(answer)), verifier: Outcome(showsQuestion: false, failure: nil))
        #expect(ApprovalOutcome(await approval.ask(Self.question(accounts: 1))) == .init(refusal: answer))
    }

    @Test func whoIsVerifiedAfterTheCancellationDoesNotApprove() async {
        let verifier = Outcome(showsQuestion: true, failure: nil, isCancelled: true)
        let outcome = await Task {
            let approval = VerifiedApproval(asking: Asking(answer: Self.yes), verifier: verifier)
            return ApprovalOutcome(await approval.ask(Self.question(accounts: 1)))
        }.value
        #expect(outcome == .init(refusal: .cancelled))
    }

    @Test func anAccountIsChosenBeforeTheDialogue() async {
        let approval = VerifiedApproval(
            asking: Asking(answer: .yes(account: 1)),
            verifier: Outcome(showsQuestion: true, failure: nil))
        #expect(ApprovalOutcome(await approval.ask(Self.question(accounts: 2))) == .init(method: .test, account: 1))
    }

    @Test func withoutATerminalTheDialogueIsForTheNewestAccount() async {
        let approval = VerifiedApproval(
            asking: Asking(answer: .refused(.unavailable)), verifier: Outcome(showsQuestion: true, failure: nil))
        #expect(ApprovalOutcome(await approval.ask(Self.question(accounts: 2))) == .init(method: .test, account: nil))
    }

    @Test func whatTheDialogueWouldCutIsShownWholeBefore() async {
        let verifier = Outcome(showsQuestion: true, failure: nil, isBrief: true)
        let long = ApprovalQuestion(
            operation: .receivePasskeys, rpID: "", rpName: "mallory",
            details: (0..<20).map { "site-\($0).example, mallory's account" })
        let short = DialogueTextTests.handOver
        #expect(!long.isWholeInSentence(account: nil) && short.isWholeInSentence(account: nil))
        for (answer, expected) in [
            (Answer.yes(account: 0), ApprovalOutcome(method: .test, account: 0)),
            (.refused(.declined), .declined), (.refused(.unavailable), .init(refusal: .unavailable)),
        ] {
            let approval = VerifiedApproval(asking: Asking(answer: answer), verifier: verifier)
            #expect(ApprovalOutcome(await approval.ask(long)) == expected)
            #expect(ApprovalOutcome(await approval.ask(short)) == .init(method: .test, account: nil))
        }
        await confirmation { reported in
            let approval = VerifiedApproval(asking: Asking(answer: .refused(.unavailable)), verifier: verifier) {
                #expect($0.code == .tooLong)
                reported()
            }
            #expect(ApprovalOutcome(await approval.ask(long)) == .init(refusal: .unavailable))
        }
    }

    private static func question(accounts: Int) -> ApprovalQuestion {
        ApprovalQuestion(
            operation: .signIn, rpID: "example.com",
            accounts: (0..<accounts).map { .init(name: "account \($0)", displayName: nil) })
    }
}

/// An answer in a form that can be compared.
struct ApprovalOutcome: Equatable {
    var method: Verified.Method?
    var account: Int?
    var refusal: Approval.Refusal?
    private(set) var instant: ContinuousClock.Instant?
    private(set) var subject: Verified.Subject?

    init(method: Verified.Method?, account: Int?) { (self.method, self.account) = (method, account) }
    init(refusal: Approval.Refusal) { self.refusal = refusal }

    static let declined = Self(refusal: .declined)

    init(_ approval: consuming Approval) {
        switch consume approval {
        case .refused(let refusal): self.refusal = refusal
        case .approved(verified: let verified, account: let account):
            self.account = account
            if let verified {
                method = verified.method
                instant = verified.instant
                subject = verified.subject
            }
        }
    }

    /// Equal without regard to the time and the subject.
    static func == (left: Self, right: Self) -> Bool {
        left.method == right.method && left.account == right.account && left.refusal == right.refusal
    }
}

extension Verified.Method {
    static let test = Self(rawValue: "test")
}

/// A question as one sentence.
@Suite struct ApprovalSentenceTests {
    @Test(arguments: [
        (ApprovalQuestion.Operation.register, #"make a passkey for the site "example.com", account "alice""#),
        (.signIn, #"sign in to the site "example.com", account "alice""#),
        (.alreadyRegistered, #"tell the site "example.com" that there is already a passkey for it here"#),
        (.noPasskey, #"tell the site "example.com" that there is no passkey for it here"#),
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

    @Test("of a long site shows the right end, which names its owner, from the beginning of a label")
    func longSite() {
        let site = "https://www.passport-office.gov.uk.identity-verification-service-portal.evil.example"
        let question = ApprovalQuestion(operation: .presentCredential, rpID: site)
        #expect(
            question.sentence(account: nil)
                == #"show a digital credential to the site "….gov.uk.identity-verification-service-portal.evil.example""#
        )
        let label = ApprovalQuestion(operation: .presentCredential, rpID: String(repeating: "a", count: 70) + "evil")
        #expect(label.sentence(account: nil).hasSuffix(#"aaaevil""#))
        #expect(!question.isWholeInSentence(account: nil) && !label.isWholeInSentence(account: nil))
    }

    @Test("says what is asked for, further than a name, but not without end")
    func request() {
        let details = ["signed, and the signature is not checked here", String(repeating: "x", count: 240)]
        let question = ApprovalQuestion(
            operation: .presentCredential, rpID: "https://a.example", details: details)
        let asked = #"which asks "\#(details.joined(separator: "; "))""#
        #expect(
            question.sentence(account: nil)
                == #"show a digital credential to the site "https://a.example", \#(asked)"#)
        let long = ApprovalQuestion(
            operation: .presentCredential, rpID: "https://a.example",
            details: Array(repeating: String(repeating: "x", count: 240), count: 8))
        #expect(long.sentence(account: nil).count < 420 && long.sentence(account: nil).hasSuffix("(and more)"))
        #expect(question.isWholeInSentence(account: nil) && !long.isWholeInSentence(account: nil))
    }

    @Test func itStaysShort() {
        let question = Self.question(.signIn, [String(repeating: "x", count: 300_000)])
        #expect(question.sentence(account: nil).count < 200)
        let marks = Self.question(.signIn, ["a" + String(repeating: "\u{301}", count: 100)])
        #expect(marks.sentence(account: nil).unicodeScalars.count < 200 && !marks.isWholeInSentence(account: nil))
    }

    private static func question(_ operation: ApprovalQuestion.Operation, _ names: [String]) -> ApprovalQuestion {
        ApprovalQuestion(
            operation: operation, rpID: "example.com", accounts: names.map { .init(name: $0, displayName: nil) })
    }
}
