/// Approves everything without asking anybody: for tests and labs, where no person is.
///
/// What it reports is not true: nobody was there. With ``claimsVerification`` it also reports that somebody was
/// verified, without which browsers do not go through with a hybrid ceremony (they demand user verification of every
/// phone). Whoever offers this to people must say so.
public struct AskingNobody: UserVerification {
    /// Whether it claims that somebody was verified.
    public let claimsVerification: Bool

    /// Makes one.
    public init(claimsVerification: Bool) { self.claimsVerification = claimsVerification }

    /// Whether it claims to verify.
    public var canVerify: Bool { claimsVerification }

    /// Says yes at once and chooses no account.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        Task.isCancelled ? .cancelled : .approved(verified: claimsVerification, account: nil)
    }
}
