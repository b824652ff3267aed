package import CTAP

/// Failure of a request to a key.
package enum KeyFailure: Error, Sendable, Equatable {
    /// The key has answered with this status.
    case refused(CTAPStatus)
    /// The PIN was wrong; the tries that are left, nil if the key does not say.
    case wrongPIN(triesLeft: Int?)
    /// No PIN was typed.
    case noPIN(timedOut: Bool)
    /// The key was taken out, or its socket has ended.
    case removed
    /// The key gave no answer in time.
    case noAnswer
    /// Another program has the key to itself.
    case inUse
    /// The user may not use the key's node.
    case notPermitted
    /// The key supports only U2F, the protocol before FIDO2.
    case u2fOnly
    /// The key, or the library, has answered what makes no sense.
    case fault(String)
    /// The task was cancelled.
    case cancelled
}
