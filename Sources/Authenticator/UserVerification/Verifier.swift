/// Verifies the user, for instance by a password or a fingerprint.
///
/// A type that conforms vouches for the user: each time that ``verify(_:account:)`` returns, a ``Verified`` is made,
/// and the authenticator signs that the user was verified. A dialogue with a yes and a no is not a verifier; it is a
/// ``UserApproval``.
public protocol Verifier: Sendable {
    /// Name of the method.
    var method: Verified.Method { get }

    /// Checks that the method is set up for this user. Nothing is shown, and nobody is asked.
    ///
    /// - Throws: ``VerificationError``, as ``verify(_:account:)`` would.
    func checkSetUp() async throws(VerificationError)

    /// True if it shows the question itself, so that it need not be shown before.
    var showsQuestion: Bool { get }

    /// True if it shows the whole of this question, with nothing cut. If it does not, the question is shown before.
    ///
    /// - Parameters:
    ///   - question: the question.
    ///   - account: the index of the chosen account; nil if there was no choice, and the first one is used.
    func showsWhole(_ question: ApprovalQuestion, account: Int?) -> Bool

    /// Verifies the user for one question. It MUST NOT return unless a verification has happened, by something that the
    /// user knows, has or is.
    ///
    /// - Parameters:
    ///   - question: the question that is approved by it.
    ///   - account: the index of the chosen account; nil if there was no choice, and the first one is used.
    /// - Returns: the time of the verification.
    /// - Throws: ``VerificationError``; `cancelled` soon after its task is cancelled, and nothing is left behind.
    func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant
}

extension Verifier {
    /// Does nothing: the method needs no setting up.
    public func checkSetUp() async throws(VerificationError) {}

    /// As ``showsQuestion`` says: what shows questions shows them whole.
    public func showsWhole(_ question: ApprovalQuestion, account: Int?) -> Bool { showsQuestion }
}
