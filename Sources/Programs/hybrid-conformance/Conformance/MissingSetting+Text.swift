import Conformance
import LinuxSupport

extension MissingSetting {
    /// The option that gives the setting, in a sentence.
    var remedy: Sentence {
        switch self {
        case .linkCommand: "give a command that offers one with --link-command"
        case .linkedCommand: "give the command that uses links with --linked-command"
        case .listenCommand: "give it with --listen-command"
        case .credentialCommand: "give one with --digital-command"
        case .pendingTime: "give the time that the service lets a tunnel wait with --pending-time"
        }
    }
}
