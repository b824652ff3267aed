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
