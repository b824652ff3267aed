package import UserVerification

/// Failure of a dialogue: there is no answer in it.
package typealias DialogueError = CodedError<DialogueErrorCode>

/// Kind of failure.
package enum DialogueErrorCode: String, ErrorCode {
    /// The user refused.
    case declined
    /// The user closed the window.
    case closed
    /// Nobody answered in time.
    case timeout
    /// The task was cancelled.
    case cancelled
    /// The program is not installed.
    case missing = "no-program"
    /// The program has neither a display nor a terminal.
    case noDisplay = "no-display"
    /// The question is too long to be shown.
    case tooLong = "too-long"
    /// The program failed, ended, or does not keep to its protocol.
    case failed = "dialogue-failed"
}

extension DialogueError {
    static var cancelled: Self { Self(.cancelled, reason: "cancelled") }
    static var timeout: Self { Self(.timeout, reason: "nobody answered the dialogue in time") }
    /// A no: whatever answers so fast has read nothing.
    static var tooSoon: Self { Self(.declined, reason: "each answer came too soon to be deliberate") }

    /// The refusal with which the question ends.
    package var refusal: Approval.Refusal {
        switch code {
        case .declined, .closed: .declined
        case .timeout: .timedOut
        case .cancelled: .cancelled
        case .missing, .noDisplay, .tooLong, .failed: .unavailable
        }
    }

    /// The same for a dialogue that verifies the user, such as that for a passphrase.
    package var verificationError: VerificationError {
        let code: VerificationError.Code =
            switch code {
            case .declined, .closed: .declined
            case .timeout: .timeout
            case .cancelled: .cancelled
            case .missing: .noService
            case .noDisplay: .noAgent
            case .tooLong: .tooLong
            case .failed: .serviceFailed
            }
        return VerificationError(code, reason: reason)
    }
}
