package import CTAP
package import KeyPassthrough
package import UserVerification

/// Failure of the agent.
package struct AgentError: Error, Sendable, Equatable {
    /// The error's name, for programs.
    package let code: String
    /// For people: lower case, one line, nothing secret.
    package let cause: String
    /// Kind of help that the user can be given.
    package let advice: Advice
    /// The answer to the client, where a CTAP request was refused.
    package let ctapStatus: CTAPStatus?

    init(code: String, cause: String, advice: Advice, ctapStatus: CTAPStatus? = nil) {
        self.code = code
        self.cause = cause
        self.advice = advice
        self.ctapStatus = ctapStatus
    }

    /// Kind of help that the user can be given.
    package enum Advice: Sendable, Hashable {
        /// A request was refused: start again.
        case startAgain
        /// A request was refused by the user: start again on the client, unless it was intended.
        case startAgainUnlessIntended
        /// The user did not answer in time: start again, with a longer time limit.
        case startAgainWithMoreTime
        /// The user was not verified.
        case verification(VerificationError.Code)
        /// A request to a security key that is plugged in here failed.
        case securityKey(KeyPassthroughError.Code)
        /// The client's request is malformed.
        case reportClient
        /// The request is for another site than the one that makes it: do not go on there.
        case distrustSite
        /// The credential handler has no credential: the site has learned nothing.
        case nothingShown
        /// The credential handler failed.
        case checkHandler
        /// The file is not a readable picture.
        case checkPicture
        /// The picture shows no code.
        case showWholeCode
        /// The code that was read is not of this transport.
        case findHybridCode
        /// The picture shows several codes.
        case cropPicture
        /// The camera sees several codes.
        case showOneCode
        /// zbar is missing or failed.
        case installZbar
        /// The camera is missing or in use.
        case connectCamera
        /// The camera saw no code in time.
        case holdCodeBeforeCamera
        /// There is no screen.
        case useDesktopSession
        /// No program took a picture of the screen.
        case installScreenshotProgram
        /// The user, or the desktop, allows no picture of the screen.
        case allowScreenshot
        /// The screen shows no code.
        case showCodeOnScreen
        /// No program reads the clipboard.
        case installClipboardProgram
        /// The clipboard has no code.
        case copyCode
        /// The directory for the picture of the screen is not writable.
        case checkRuntimeDirectory
        /// Verification by passphrase needs a vault.
        case useVault
        /// Verification by passphrase needs a vault that has one.
        case setPassphrase
    }
}

/// Refusal of a session's last request.
package struct RequestRefused: Error {
    /// The request, and the answer that the client got.
    package let answer: SessionLog.Answer
    /// Reason for the refusal.
    package let reason: AgentError
}
