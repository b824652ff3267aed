@_exported public import Encodings

/// A refusal of the agent's, before anything else fails.
package typealias AgentRefusal = CodedError<AgentRefusalCode>

/// Kind of refusal.
package enum AgentRefusalCode: String, ErrorCode {
    /// The vault is locked, and nobody is asked about it.
    case locked = "agent-locked"
    /// The vault was locked while it was in use.
    case lockedMeanwhile = "locked-meanwhile"
    /// The user is being asked something else.
    case busy = "agent-busy"
    /// The user was asked too often lately.
    case tooMany = "too-many-questions"
    /// Another agent runs already.
    case runsAlready = "runs-already"
    /// No agent runs, and none could be started.
    case notRunning = "no-agent"
    /// The agent is of another version than the command.
    case otherVersion = "other-version"
    /// The agent holds another vault than the command is about.
    case otherVault = "other-vault"
    /// The connection to the bus ended.
    case busEnded = "bus-ended"
    /// The program was replaced by another version.
    case replaced = "program-replaced"
}
