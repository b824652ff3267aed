public import HybridProtocol

/// What a client does about links in one ceremony: which it has, and whether it wants another.
///
/// Source: PROTOCOL.md 7.4 and 8.
public struct ClientLinking: Sendable {
    /// Is told what becomes of links, as it happens. It must return soon: what is to be kept should be on the disk by then.
    public typealias Observer = @Sendable (Event) -> Void

    /// What can become of a link.
    public enum Event: Sendable {
        /// The authenticator of this session proved a link, which the client should keep, in the place of an older one with the same
        /// `SharedLink/id`.
        case linked(SharedLink)
        /// The authenticator sent linking data that must not be kept.
        case refused(HybridProtocolError)
        /// The tunnel service says that the link is dead for good: the client should forget it. Nothing else is a reason to.
        case gone(SharedLink)
        /// The authenticator of a link cannot be reached now, or has declined. The link stays good.
        case unreachable(SharedLink, HybridTransportError)
    }

    /// No links, and none wanted.
    public static let none = ClientLinking()

    let links: [SharedLink]
    let isOffered: Bool
    let observe: Observer

    /// Makes one.
    ///
    /// - Parameters:
    ///   - links: the authenticators that are asked without a QR code. Each of them is woken, so there should be few.
    ///   - isOffered: whether the QR code says that an authenticator may send a link, and the session's end waits for it.
    ///   - observe: is told what becomes of links.
    public init(links: [SharedLink] = [], isOffered: Bool = false, observe: @escaping Observer = { _ in }) {
        self.links = links
        self.isOffered = isOffered
        self.observe = observe
    }
}
