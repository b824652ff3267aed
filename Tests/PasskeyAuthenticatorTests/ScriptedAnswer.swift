@testable import UserVerification

/// An answer that a test gives to questions.
enum ScriptedAnswer: Sendable, Hashable {
    case approved(verified: Bool, account: Int?)
    case refused(Approval.Refusal)
    /// Verified for another question than the one that is asked.
    case verifiedForAnother
    /// Verified this long ago.
    case verifiedBefore(Duration)
    /// "Verified" by the lab's verifier.
    case lab

    static let yes = approved(verified: true, account: 0)
    static let declined = refused(.declined)
    static let timedOut = refused(.timedOut)
    static let cancelled = refused(.cancelled)
    static let unavailable = refused(.unavailable)
    static let notEnrolled = refused(.notEnrolled)
    static let failed = refused(.failed)
    static let blocked = refused(.blocked)

    private static let method = Verified.Method(rawValue: "test")

    func approval(for question: ApprovalQuestion) -> Approval {
        switch self {
        case .approved(verified: true, let account):
            .approved(verified: Verified(question, by: Self.method, at: .now), account: account)
        case .approved(verified: false, let account): .approved(verified: nil, account: account)
        case .refused(let refusal): .refused(refusal)
        case .verifiedForAnother:
            .approved(
                verified: Verified(
                    ApprovalQuestion(operation: question.operation, rpID: "elsewhere.example"), by: Self.method,
                    at: .now), account: nil)
        case .verifiedBefore(let age):
            .approved(verified: Verified(question, by: Self.method, at: .now - age), account: nil)
        case .lab: .approved(verified: Verified(question, by: .lab, at: .now), account: nil)
        }
    }
}
