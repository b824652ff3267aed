public import HybridProtocol

/// An event of a ``ContactListener`` that runs.
public enum ContactEvent: Sendable {
    /// The service has registered the links: the contact ID of each. Comes again when the links have changed.
    case registered([LinkID: ContactID])
    /// The service cannot be reached, or the connection is lost; it is tried again after this time.
    case reconnecting(after: Duration, cause: DataChannelError)
    /// A linked client wants a session. The service has its acknowledgement already.
    case wake(ContactWake)
    /// A linked client was declined without asking the user.
    case refused(ContactRefusal)
}

/// A linked client that wants a session.
public struct ContactWake: Sendable, Equatable {
    /// The link that it used.
    public let linkID: LinkID
    /// The contact ID that it used.
    public let contactID: ContactID
    /// The tunnel in which it waits.
    public let tunnelID: TunnelID
    /// The part of the service that has this tunnel.
    public let routingID: RoutingID
    /// The bytes of its contact request: see `ContactRequest`. 1 to 256 bytes.
    public let clientPayload: [UInt8]
}

/// A reason for which a ``ContactListener`` declines a client by itself.
public enum ContactRefusal: Sendable, Equatable {
    /// The link is not among ours any more.
    case unknownLink
    /// There were too many wakes lately.
    case tooMany
}
