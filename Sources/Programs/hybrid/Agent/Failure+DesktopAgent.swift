import CommandLine
import DesktopAuthenticator
import LinuxSupport

extension Failure {
    /// A failure that the agent has told of.
    init(_ failure: AgentFailure) {
        self.init(
            ExitStatus(rawValue: failure.exitStatus) ?? .failure, code: failure.code,
            cause: Sentence(reason: failure.cause), hint: Sentence(reason: failure.hint))
    }

    /// A session bus that cannot be used.
    init(_ error: DBusError) {
        switch error.code {
        case .cancelled: self.init(interruptedAt: nil)
        case .refused where error.name == DBusError.Name.accessDenied:
            self.init(
                .failure, code: "not-permitted", cause: "the agent that runs serves another user",
                hint: "run this as the user of the desktop session")
        case .refused where error.name == DBusError.Name.noReply:
            self.init(.failure, code: "agent-ended", cause: "the agent ended before it answered", hint: Hint.startAgain)
        case .timeout:
            self.init(
                .timeout, code: "timeout", cause: Sentence(reason: error.reason),
                hint: "end the agent and start again: hybrid agent stop"
            )
        default:
            self.init(
                .failure, code: error.code.rawValue, cause: Sentence(reason: error.reason),
                hint: "run this in your desktop session; everything but hybrid agent works without one")
        }
    }
}

extension AgentFailure {
    /// Any failure, for the bus.
    init(_ error: any Error) {
        let failure = Failure(error)
        self.init(
            code: failure.code, cause: failure.cause.english, hint: failure.hint.english,
            exitStatus: failure.status.rawValue)
    }
}
