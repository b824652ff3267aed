import CTAP
import CommandLine
import DesktopAuthenticator
import KeyPassthrough

// Failures whose remedy is the desktop's.

extension Failure {
    /// A failure with its remedy.
    init(_ remedy: Remedy, code: String, cause: String, ctapStatus: CTAPStatus? = nil) {
        self.init(ExitStatus(remedy.fault), code: code, cause: cause, hint: remedy.text, ctapStatus: ctapStatus)
    }

    /// A failure of the authenticator's agent.
    init(_ error: AgentError) {
        self.init(error.remedy, code: error.code, cause: error.cause, ctapStatus: error.ctapStatus)
    }

    /// A session whose last request was refused.
    init(_ refused: RequestRefused) {
        let answer = refused.answer
        self = Failure(refused.reason)
            .saying("\(answer.command) was answered \(answer.outcome.text): \(refused.reason.cause)")
    }

    /// A window in which the user was asked, and gave no answer.
    init(_ error: DialogueError) {
        self.init(error.remedy, code: error.code.rawValue, cause: error.reason)
    }

    /// A refusal of the agent's, or one because of it.
    init(_ error: AgentRefusal) { self.init(error.remedy, code: error.code.rawValue, cause: error.cause) }

    /// A security key that cannot be passed through.
    init(_ error: KeyPassthroughError) {
        self.init(.securityKey(error.code), code: error.code.rawValue, cause: error.reason)
    }
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
