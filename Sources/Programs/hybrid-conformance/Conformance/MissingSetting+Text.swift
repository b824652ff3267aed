import Conformance

extension MissingSetting {
    /// The option that gives the setting, in a sentence.
    var remedy: String {
        switch self {
        case .linkCommand: "give a command that offers one with --link-command"
        case .linkedCommand: "give the command that uses links with --linked-command"
        case .listenCommand: "give the command that waits for linked clients with --listen-command"
        case .credentialCommand: "give the command that asks for a digital credential with --digital-command"
        case .pendingTime: "give the time that the service lets a tunnel wait with --pending-time"
        }
    }
}
