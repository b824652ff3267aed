internal import UserVerification

/// An approved request, as it goes into the flags of the authenticator data and decides about prf and credProtect.
///
/// ``isVerified`` is true for a ``Verified`` only, which is consumed here.
struct Approved {
    /// The outcome of a request for which nobody is asked.
    static let silently = Approved()

    /// True if the user was asked.
    let isPresent: Bool
    /// True if the user was verified for this request.
    let isVerified: Bool
    /// The account that the user chose; nil if there was no choice.
    let account: Int?

    /// Makes one of an answer to a question.
    ///
    /// - Parameters:
    ///   - yes: the answer, whose proof of verification is consumed. It counts if it is for this very question and not
    ///     old, and if getInfo has said that there is verification; a lab's counts only where nothing protects the
    ///     passkeys.
    ///   - question: the question that was asked.
    ///   - canVerify: true if a method of verification is set up.
    ///   - isProtected: true if the store protects its passkeys.
    init(
        _ yes: consuming Approval.Yes, for question: ApprovalQuestion, canVerify: Bool, protecting isProtected: Bool
    ) {
        isPresent = true
        account = yes.account
        isVerified = canVerify && yes.isVerified(for: question) && !(isProtected && yes.method == .lab)
    }

    private init() {
        isPresent = false
        isVerified = false
        account = nil
    }
}
