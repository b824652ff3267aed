/// Verifies the user, for instance by a password or a fingerprint.
public protocol Verifier: Sendable {
    /// True if it shows the question itself, so that it need not be shown before.
    var showsQuestion: Bool { get }

    /// Verifies the user for one question. It MUST NOT return unless a verification has happened now, for this
    /// question.
    ///
    /// - Parameters:
    ///   - question: The question that is approved by it.
    ///   - account: The index of the chosen account; nil if there was no choice, and the first one is used.
    /// - Throws: ``VerificationError``; `cancelled` soon after its task is cancelled, and nothing is left behind.
    func verify(_ question: ApprovalQuestion, account: Int?) async throws(VerificationError)
}

/// Approvals that count only after a verification of the user.
///
/// The question is always shown first: by the verifier if it can, otherwise by another approval. That one also comes
/// first if there is an account to choose, since the desktops' dialogues offer no choice.
public struct VerifiedApproval: UserApproval {
    private let asking: any UserApproval
    private let verifier: any Verifier
    private let report: @Sendable (VerificationError) -> Void

    /// Makes one.
    ///
    /// - Parameters:
    ///   - asking: Shows the question, and offers the choice of an account.
    ///   - verifier: Verifies the user afterwards.
    ///   - report: Gets the error of a failed verification.
    public init(
        asking: any UserApproval, verifier: any Verifier,
        report: @escaping @Sendable (VerificationError) -> Void = { _ in }
    ) {
        self.asking = asking
        self.verifier = verifier
        self.report = report
    }

    /// Always true: without verification there is no approval here.
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
