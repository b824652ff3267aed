/// Asks the user of this machine to approve something.
public protocol UserApproval: Sendable {
    /// True if a method of verification is set up, so that an approval can come with a ``Verified``. If not, getInfo
    /// does not list `uv`, and requests that need verification are refused.
    var canVerify: Bool { get }

    /// Asks, and waits for the answer. Returns ``Approval/Refusal/cancelled`` soon after its task is cancelled.
    func ask(_ question: ApprovalQuestion) async -> Approval
}

/// Answer to a question. It cannot be copied, since a ``Verified`` counts once.
public enum Approval: ~Copyable, Sendable {
    /// Yes.
    ///
    /// - `verified`: Proof that the user was verified for this question; nil if the answer shows presence alone.
    /// - `account`: The index of the chosen account; nil if there was no choice, and the first one is used.
    case approved(verified: Verified?, account: Int?)
    /// Anything else.
    case refused(Refusal)

    /// Answer that is not a yes. The client is told `OPERATION_DENIED`, `USER_ACTION_TIMEOUT`, `KEEPALIVE_CANCEL`,
    /// `INVALID_OPTION` (nothing set up), `OPERATION_DENIED` (failed) or `PIN_BLOCKED` (no more tries).
    public enum Refusal: Error, Sendable, Hashable {
        /// No: the user refused, or closed the dialogue.
        case declined
        /// Nobody answered in time.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// There is no way to ask: no terminal, no agent, no device.
        case unavailable
        /// The user has not set up this method of verification, for instance no finger.
        case notEnrolled
        /// The verification failed: a wrong passphrase, another's finger. Another try is possible.
        case failed
        /// The verification failed too often: for now there are no more tries.
        case blocked
    }
}

extension Approval {
    /// Parts of a yes.
    package struct Yes: ~Copyable {
        /// Proof that the user was verified; nil if the answer shows presence alone.
        fileprivate let verified: Verified?
        /// The index of the chosen account; nil if there was no choice.
        package let account: Int?

        /// Method of the verification; nil without one.
        package var method: Verified.Method? {
            switch verified {
            case .some(let verified): verified.method
            case .none: nil
            }
        }

        /// True if the user was verified for a question, and not too long ago.
        package func isVerified(for question: ApprovalQuestion) -> Bool {
            switch verified {
            case .some(let verified): verified.covers(question)
            case .none: false
            }
        }
    }

    /// Consumes the answer.
    ///
    /// - Throws: the answer if it is not a yes.
    // Inlined, it crashes the optimizer of Swift 6.3.1 ("load [take]" of the account).
    @inline(never)
    package consuming func yes() throws(Refusal) -> Yes {
        switch consume self {
        case .refused(let refusal): throw refusal
        case .approved(verified: let verified, account: let account):
            return Yes(verified: verified, account: account)
        }
    }

    /// Consumes the answer, where nothing is signed and no account is chosen.
    ///
    /// - Returns: true if the user was verified for the question.
    /// - Throws: the answer if it is not a yes.
    package consuming func isVerified(for question: ApprovalQuestion) throws(Refusal) -> Bool {
        let yes = try yes()
        return yes.isVerified(for: question)
    }
}
