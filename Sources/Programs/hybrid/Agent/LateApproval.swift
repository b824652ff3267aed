import CommandLine
import UserVerification

/// An approval whose way is chosen at each question: what is set up changes while the agent waits for days.
struct LateApproval: UserApproval {
    let choose: @Sendable () async throws -> any UserApproval
    /// Is told why the user could not be verified.
    let report: @Sendable (VerificationError) -> Void

    /// Always true: an approval without verification is no way here, unless its user has chosen that.
    var canVerify: Bool { true }

    init(
        _ choose: @escaping @Sendable () async throws -> any UserApproval,
        report: @escaping @Sendable (VerificationError) -> Void
    ) {
        self.choose = choose
        self.report = report
    }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        do {
            return await (try choose()).ask(question)
        } catch {
            guard !Task.isCancelled else { return .refused(.cancelled) }
            report(VerificationError(.notEnrolled, reason: Failure(error).cause))
            return .refused(.notEnrolled)
        }
    }
}
