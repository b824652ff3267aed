package import UserVerification

/// Questions of a passthrough key to the user, besides the approval of each request.
package protocol PassthroughKeyQuestions: Sendable {
    /// Asks for the key's PIN.
    ///
    /// - Parameter objection: what was wrong with the one before; nil for the first.
    /// - Returns: the PIN; or `declined`, `timedOut`, `unavailable`, or `cancelled` soon after its task is cancelled.
    func pin(objection: String?) async -> Result<KeyPIN, Approval.Refusal>

    /// Tells the next step of the user, in the place of the one before; nil if nothing is left to be done.
    func tell(_ step: PassthroughKeyStep?) async
}

/// Something that the user has to do at the key.
package enum PassthroughKeyStep: Sendable, Equatable {
    /// Touch the key.
    case touch
    /// Have the key verify the user: a finger on its reader, say.
    case verify
}
