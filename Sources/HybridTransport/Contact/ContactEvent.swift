public import Edges
public import HybridProtocol

/// What a ``ContactListener`` tells while it runs.
public enum ContactEvent: Sendable {
    /// The service wakes us: by what contact ID each link can be reached. Told again when the links have changed.
    case registered([LinkID: ContactID])
    /// The service cannot be reached, or the connection is lost; it is tried again after so long.
    case reconnecting(after: Duration, cause: DataChannelError)
    /// A linked client is here. The service knows already that we know.
    case wake(ContactWake)
    /// A linked client was here, and was declined without asking anybody.
    case refused(ContactRefusal)
}

/// A linked client that wants a session.
public struct ContactWake: Sendable, Equatable {
    /// Which link it used.
    public let linkID: LinkID
    /// By which contact ID it asked.
    public let contactID: ContactID
    /// In which tunnel it waits.
    public let tunnelID: TunnelID
    /// Which part of the service that tunnel is at.
    public let routingID: RoutingID
    /// What it sent along, as it came: see `ContactRequest`. 1 to 256 bytes.
    public let clientPayload: [UInt8]
}

/// Why a ``ContactListener`` declined a client by itself.
public enum ContactRefusal: Sendable, Equatable {
    /// The link is not among ours any more.
    case unknownLink
    /// There were too many wakes lately.
    case tooMany
}
