/// Approves everything without a question: for tests and labs.
///
/// It reports user presence although no user was present. With ``claimsVerification`` it also reports user
/// verification, without which browsers abort a hybrid ceremony. A program that offers this MUST warn its user.
public struct AutomaticApproval: UserApproval {
    /// True if it claims that the user was verified.
    public let claimsVerification: Bool

    /// Makes one.
    public init(claimsVerification: Bool) { self.claimsVerification = claimsVerification }

    /// True if it claims that the user was verified.
    public var canVerify: Bool { claimsVerification }

    /// Approves at once, without choosing an account.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        Task.isCancelled ? .cancelled : .approved(verified: claimsVerification, account: nil)
    }
}
