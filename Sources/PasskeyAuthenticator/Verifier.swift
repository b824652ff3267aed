/// Verifies that somebody is the user: by a password, a finger.
public protocol Verifier: Sendable {
    /// Whether it shows the question itself, so that nobody else has to.
    var showsQuestion: Bool { get }

    /// Verifies who approves what is asked. It returns only if a verification has really happened now, for this question.
    ///
    /// - Parameters:
    ///   - question: what is approved thereby.
    ///   - account: the index of the account that was chosen before; nil if nobody chose, and the first one is used.
    /// - Throws: ``VerificationError``; `cancelled` soon after its task is cancelled, and nothing is left behind.
    func verify(_ question: ApprovalQuestion, account: Int?) async throws(VerificationError)
}

/// Approvals that count only once it is verified who gives them.
///
/// What is to be approved is always shown first: by the verifier if it can, otherwise by somebody who asks before. Somebody is
/// also asked before where there is an account to choose, since the dialogues of desktops offer no choice.
public struct VerifiedApproval: UserVerification {
    private let asking: any UserVerification
    private let verifier: any Verifier
    private let report: @Sendable (VerificationError) -> Void

    /// Makes one.
    ///
    /// - Parameters:
    ///   - asking: shows the question and lets the person choose.
    ///   - verifier: verifies the person afterwards.
    ///   - report: is told why a verification failed.
    public init(
        asking: any UserVerification, verifier: any Verifier,
        report: @escaping @Sendable (VerificationError) -> Void = { _ in }
    ) {
        self.asking = asking
        self.verifier = verifier
        self.report = report
    }

    /// Always: without verification there is no approval here.
    public var canVerify: Bool { true }

    /// Asks, then verifies.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        var account: Int?
        let isChoice = question.choosesAccount && question.accounts.count > 1
        if isChoice || !verifier.showsQuestion {
            switch await asking.ask(question) {
            case .approved(_, let chosen): account = chosen
            // The dialogue names the account that is used then.
            case .unavailable where verifier.showsQuestion: break
            case let refusal: return refusal
            }
        }
        do throws(VerificationError) {
            try await verifier.verify(question, account: account)
        } catch {
            report(error)
            return error.approval
        }
        return Task.isCancelled ? .cancelled : .approved(verified: true, account: account)
    }
}
