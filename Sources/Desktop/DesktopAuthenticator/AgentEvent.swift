package import HybridProtocol
package import HybridTransport
package import PasskeyAuthenticator

extension PasskeyAuthenticatorEvent: Event {}

/// Something that happens while the agent works, besides the events of ceremonies and of the passkeys. None of it stops
/// the agent.
package enum AgentEvent: Event {
    /// The session's ceremony is over, successfully or not.
    case ceremonyEnded
    /// A line that a credential handler wrote to its standard error. It is the handler's text and must be quoted.
    case handlerLine(String, program: String)
    /// One of the ways in which a request for a digital credential could be answered was left out.
    case optionLeftOut(DigitalCredentialError)
    /// The passphrase was wrong, and is asked for again unless it was the last attempt.
    case wrongPassphrase
    /// The client's first operation is another one than its QR code, or its call, has announced.
    case otherOperation(announced: RequestHint, asked: RequestHint)
    /// The tunnel service has another contact secret than when so many links were made: their clients are turned away,
    /// unless it still takes the previous one.
    case otherContactSecret(linkCount: Int)
    /// A linked client was declined since another one is being served.
    case busy
    /// A linked client has asked for a session; nil if it is not known which one.
    case wake(WakeRequest?, WakeOutcome)
    /// A linked client's session has ended; the commands that it asked for, with their answers.
    case answered([SessionLog.Answer])
    /// A linked client whose wake was let through has got no answer.
    case wakeFailed(any Error)
}

/// Outcome of offering a link to the client of a session.
package enum LinkingEvent: Event {
    /// The client has the link, which is kept under this name.
    case linked(name: String)
    /// The user did not answer in time, or the client left before the answer.
    case undecided
    /// The tunnel service did not assign a contact ID.
    case noContactID(DataChannelError)
    /// The link could not be made or kept.
    case failed(any Error)
    /// The client left before the link was sent.
    case clientLeft
}

/// A linked client and its kind of request.
package struct WakeRequest: Sendable {
    /// The link of the client, as it is kept.
    package let link: AuthenticatorLinkFile.Entry
    /// Kind of request that the client announces.
    package let hint: RequestHint
}

/// Decision about a wake.
package enum WakeOutcome: String, Sendable {
    case approved, declined, timedOut
    /// The wake's payload is not a request of this link.
    case invalid
    /// The link was revoked.
    case unknownLink
    /// The same request came before.
    case replayed
    /// The link has had too many wakes without a session.
    case tooMany
}
