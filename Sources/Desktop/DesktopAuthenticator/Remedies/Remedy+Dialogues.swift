// Remedies for windows without an answer, and for what the agent refuses.

extension DialogueErrorCode {
    /// One thing that the user can do.
    package var remedy: Remedy {
        let (fault, text): (Remedy.Fault, String) =
            switch self {
            case .declined, .closed: (.refusal, "start again if that was not intended")
            case .timeout: (.timeout, "start again, and answer the window sooner")
            case .cancelled: (.interruption, "start again")
            case .missing:
                (.usage, "install pinentry for your desktop, and zenity or kdialog; or run this in a terminal")
            case .noDisplay: (.usage, "run this in your desktop's session, or in a terminal")
            case .unsuited: (.usage, "install pinentry-qt, pinentry-gtk2 or zenity; or run this in a terminal")
            case .tooLong: (.usage, "run this in a terminal, which shows the whole")
            case .failed:
                (.machine, "try pinentry by itself: echo GETPIN | pinentry; or give --ask terminal")
            }
        return Remedy("dialogue-\(rawValue)", text, for: fault)
    }
}

extension AgentRefusalCode {
    /// One thing that the user can do.
    package var remedy: Remedy {
        let (fault, text): (Remedy.Fault, String) =
            switch self {
            case .locked: (.lock, "open it: hybrid agent unlock")
            case .lockedMeanwhile: (.lock, "start again, and unlock the vault when you are asked")
            case .busy: (.machine, "wait until the other request is over, or end it: hybrid agent lock")
            case .tooMany:
                (.machine, "wait a minute; if it was not you, look for the program that asks all the time")
            case .runsAlready: (.usage, "use that one, or end it first: hybrid agent stop")
            case .notRunning: (.machine, "start one: hybrid agent run; or do without it")
            case .otherVersion: (.machine, "end it, so that the next command starts the new one: hybrid agent stop")
            case .otherVault: (.usage, "leave out --vault, or do without the agent: --no-agent")
            case .busEnded: (.machine, "log in again, or start the session bus")
            case .replaced: (.machine, "start it again: the new version is in its place")
            }
        return Remedy("agent-\(rawValue)", text, for: fault)
    }
}
