/// The agent's place on the session bus, and the version of its interface there.
///
/// No secret crosses the bus: no passphrase, no key, no answer to a question. The agent asks the user itself.
package enum AgentBus {
    /// The name, which is the interface's too.
    package static let name = "io.github.hybrid_transport.Agent1"
    package static let path = "/io/github/hybrid_transport/Agent1"
    /// The version of the interface. A program of another version does without the agent.
    package static let protocolVersion: UInt32 = 1

    /// The name of every error that the agent itself answers with; see ``AgentFailure``.
    static let failed = "\(name).Error.Failed"
    /// The longest time for an answer of an agent that asks nobody.
    static let answerLimit = Duration.seconds(5)
    /// The longest time for an answer for which the user is asked, with a whole ceremony.
    static let askingLimit = Duration.seconds(900)
    /// The longest text of a QR code that is taken, in bytes of UTF-8.
    static let longestCode = 8_192
    /// The longest time for which the vault can be held open: a day, in seconds.
    package static let longestHold: UInt32 = 86_400
}
