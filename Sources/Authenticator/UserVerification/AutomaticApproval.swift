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

/// Verifies nobody and says that it has: for tests and labs, since browsers abort a hybrid ceremony without user
/// verification.
///
/// Its result is marked as ``Verified/Method/lab``. A store that protects its passkeys does not take that for a
/// verification.
public struct LabVerifier: Verifier {
    private let tell: @Sendable () -> Void

    /// The lab's method.
    public var method: Verified.Method { .lab }
    /// Always true: no question is shown.
    public var showsQuestion: Bool { true }

    /// Makes one.
    ///
    /// - Parameter tell: is called at each use. A program that offers this MUST warn its user there.
    public init(tell: @escaping @Sendable () -> Void) { self.tell = tell }

    /// Returns at once.
    public func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant {
        guard !Task.isCancelled else { throw VerificationError(.cancelled, reason: "cancelled") }
        tell()
        return .now
    }
}
