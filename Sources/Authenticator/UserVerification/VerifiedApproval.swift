/// Approvals that count only after a verification of the user.
///
/// The question is always shown first, and whole: by the verifier if it can, otherwise by another approval. That one
/// also comes first if there is an account to choose, since the desktops' dialogues offer no choice.
public struct VerifiedApproval: UserApproval {
    private let asking: any UserApproval
    private let verifier: any Verifier
    private let report: @Sendable (VerificationError) -> Void

    /// Makes one.
    ///
    /// - Parameters:
    ///   - asking: shows the question, and offers the choice of an account. It counts as presence only.
    ///   - verifier: verifies the user afterwards. It must be set up.
    ///   - report: gets the error of a failed verification.
    public init(
        asking: any UserApproval, verifier: any Verifier,
        report: @escaping @Sendable (VerificationError) -> Void = { _ in }
    ) {
        self.asking = asking
        self.verifier = verifier
        self.report = report
    }

    private static let tooLong = VerificationError(
        .tooLong, reason: "the dialogue would cut the question, and there is no other way to show it")

    /// Always true: without verification there is no approval here.
    public var canVerify: Bool { true }

    /// Asks, then verifies.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        var account: Int?
        let isChoice = question.choosesAccount && question.accounts.count > 1
        let isShown = verifier.showsWhole(question, account: nil)
        if isChoice || !isShown {
            do throws(Approval.Refusal) {
                account = try await asking.ask(question).yes().account
            } catch {
                // The dialogue names the account that is used then.
                guard error == .unavailable, isShown else {
                    if error == .unavailable, verifier.showsQuestion { report(Self.tooLong) }
                    return .refused(error)
                }
            }
        }
        let instant: ContinuousClock.Instant
        do throws(VerificationError) {
            instant = try await verifier.verify(question, account: account)
        } catch {
            report(error)
            return .refused(error.refusal)
        }
        guard !Task.isCancelled else { return .refused(.cancelled) }
        return .approved(verified: Verified(question, by: verifier.method, at: instant), account: account)
    }
}

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
