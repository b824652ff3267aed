import PasskeyAuthenticator
import UserVerification

extension VerificationError.Code {
    /// One thing that the user can do.
    var hint: String {
        switch self {
        case .declined: "start again on the client if that was not intended"
        case .timeout: "start again on the client; --timeout gives you longer"
        case .notEnrolled: "enrol a finger first, with fprintd-enroll or in the desktop's settings"
        case .noMatch: "start again on the client to try once more"
        case .tooManyAttempts: "make sure that it is you who is asked, then start again on the client"
        case .noAgent:
            "run this inside the desktop's session, with its authentication agent; or choose another --verify"
        case .notInstalled, .notPermitted:
            "install the policy for this user: \(PolicyInstaller.command); or choose another --verify"
        case .notAsked:
            "install the policy as it is shipped: \(PolicyInstaller.command); root is never asked, and cannot be "
                + "verified"
        case .noService: "install and start polkitd or fprintd, whichever was chosen; or choose another --verify"
        case .untrustedService: "check who runs it on the system bus, with busctl status; or choose another --verify"
        case .noDevice: "connect a fingerprint reader that libfprint knows, or choose another --verify"
        case .tooLong: "run this at a terminal, or install a pinentry or zenity for the desktop; the question is long"
        case .deviceBusy: "end the other program that waits for a finger, then start again on the client"
        default: "start again on the client, or choose another --verify"
        }
    }
}
