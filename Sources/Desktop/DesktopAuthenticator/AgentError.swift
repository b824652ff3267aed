package import CTAP
package import LinuxSupport

/// Failure of the agent. It is no `CodedError`, since its remedy and the client's answer do not follow from its code.
package struct AgentError: Error, Sendable, Equatable {
    /// The error's name, for programs.
    package let code: String
    /// For people: lower case, one line, nothing secret.
    package let cause: Sentence
    /// One thing that the user can do about it.
    package let remedy: Remedy
    /// The answer to the client, where a CTAP request was refused.
    package let ctapStatus: CTAPStatus?

    init(code: String, cause: Sentence, remedy: Remedy, ctapStatus: CTAPStatus? = nil) {
        self.code = code
        self.cause = cause
        self.remedy = remedy
        self.ctapStatus = ctapStatus
    }
}

/// Refusal of a session's last request.
package struct RequestRefused: Error {
    /// The request, and the answer that the client got.
    package let answer: SessionLog.Answer
    /// Reason for the refusal.
    package let reason: AgentError
}
