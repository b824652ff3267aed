import CTAP
import CommandLine
import DesktopAuthenticator
import LinuxSupport

// Failures whose remedy is the desktop's.

extension Failure {
    /// A failure with its remedy.
    init(_ remedy: Remedy, code: String, cause: Sentence, ctapStatus: CTAPStatus? = nil) {
        let (status, hint) = remedy.explanation
        self.init(status, code: code, cause: cause, hint: hint, ctapStatus: ctapStatus?.rawValue)
    }

    /// A failure of the authenticator's agent.
    init(_ error: AgentError) {
        self.init(error.remedy, code: error.code, cause: error.cause, ctapStatus: error.ctapStatus)
    }

    /// A session whose last request was refused.
    init(_ refused: RequestRefused) {
        let (answer, outcome) = (refused.answer, refused.answer.outcome.text)
        self = Failure(refused.reason)
            .saying(
                "\(RequestWords(answer).refused): \(refused.reason.cause); the client was answered \(outcome)"
            )
    }
}

extension Remedy {
    /// Exit status and hint of a failure with this remedy.
    var explanation: (ExitStatus, hint: Sentence) { (ExitStatus(fault), text) }
}

extension ExitStatus {
    fileprivate init(_ fault: Remedy.Fault) {
        self =
            switch fault {
            case .machine: .failure
            case .refusal: .declined
            case .violation: .protocolViolation
            case .file: .file
            case .timeout: .timeout
            case .usage: .usage
            case .interruption: .interrupted
            case .lock: .locked
            }
    }
}
