internal import UserVerification

/// An approved request, as it goes into the flags of the authenticator data and decides about prf and credProtect.
///
/// ``isVerified`` is true for a ``Verified`` only, which is consumed here.
struct Approved {
    /// True if the user was verified for this request.
    let isVerified: Bool
    /// The account that the user chose; nil if there was no choice.
    let account: Int?

    /// Makes one of an answer to a question.
    ///
    /// - Parameters:
    ///   - verified: The proof that came with the answer. It counts if it is for this very question and not old, and if
    ///     getInfo has said that there is verification; a lab's counts only where nothing protects the passkeys.
    ///   - account: The account that the user chose.
    ///   - question: The question that was asked.
    ///   - canVerify: True if a method of verification is set up.
    ///   - isProtected: True if the store protects its passkeys.
    init(
        consuming verified: consuming Verified?, account: Int?, for question: ApprovalQuestion,
        canVerify: Bool, protecting isProtected: Bool
    ) {
        self.account = account
        isVerified =
            switch consume verified {
            case .none: false
            case .some(let verified):
                canVerify && verified.covers(question) && !(isProtected && verified.method == .lab)
            }
    }
}
