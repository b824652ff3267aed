import CommandLine
import DesktopAuthenticator
import LinuxSupport

extension Failure {
    /// A failure that the agent has told of.
    init(_ failure: AgentFailure) {
        self.init(
            ExitStatus(rawValue: failure.exitStatus) ?? .failure, code: failure.code, cause: failure.cause,
            hint: failure.hint)
    }

    /// A refusal of the agent's, or one because of it.
    init(_ error: AgentRefusal) {
        let (status, hint): (ExitStatus, String) =
            switch error.code {
            case .locked: (.locked, "open it: hybrid agent unlock")
            case .lockedMeanwhile: (.locked, "start again, and unlock the vault when you are asked")
            case .busy: (.failure, "wait until the other request is over, or end it: hybrid agent lock")
            case .tooMany: (.failure, "wait a minute; if it was not you, look for the program that asks all the time")
            case .runsAlready: (.usage, "use that one, or end it first: hybrid agent stop")
            case .notRunning: (.failure, "start one: hybrid agent run; or do without it")
            case .otherVersion: (.failure, "end it, so that the next command starts the new one: hybrid agent stop")
            case .otherVault: (.usage, "leave out --vault, or do without the agent: --no-agent")
            case .busEnded: (.failure, "log in again, or start the session bus")
            case .replaced: (.failure, "start it again: the new version is in its place")
            }
        self.init(status, code: error.code.rawValue, cause: error.cause, hint: hint)
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
            self.init(.failure, code: "agent-ended", cause: "the agent has ended in the middle", hint: Hint.startAgain)
        case .timeout:
            self.init(
                .timeout, code: "timeout", cause: error.reason, hint: "end the agent and start again: hybrid agent stop"
            )
        default:
            self.init(
                .failure, code: error.code.rawValue, cause: error.reason,
                hint: "run this in your desktop session; everything but hybrid agent works without one")
        }
    }
}

extension AgentFailure {
    /// Any failure, for the bus.
    init(_ error: any Error) {
        let failure = Failure(error)
        self.init(
            code: failure.code, cause: failure.cause, hint: failure.hint, exitStatus: failure.status.rawValue)
    }
}
