/// Approves everything without a question: for tests and labs.
///
/// It reports user presence although no user was present. With ``claimsVerification`` it also claims user verification
/// by a ``LabVerifier``. A program that offers this MUST warn its user.
public struct AutomaticApproval: UserApproval {
    /// True if it claims that the user was verified.
    public let claimsVerification: Bool

    /// Makes one.
    public init(claimsVerification: Bool) { self.claimsVerification = claimsVerification }

    /// True if it claims that the user was verified.
    public var canVerify: Bool { claimsVerification }

    /// Approves at once, without choosing an account.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        guard !Task.isCancelled else { return .refused(.cancelled) }
        guard claimsVerification else { return .approved(verified: nil, account: nil) }
        return .approved(verified: Verified(question, by: .lab, at: .now), account: nil)
    }
}
