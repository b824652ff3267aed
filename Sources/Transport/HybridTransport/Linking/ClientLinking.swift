public import HybridProtocol

/// The links of a client in one ceremony, and its offer to be linked.
///
/// Source: HT-LNK-38, HT-STA-8, HT-STA-9, HT-STA-11.
public struct ClientLinking: Sendable {
    /// Gets each event of a link as it happens. It must return soon; a kept link should be on the disk by
    /// then.
    public typealias Observer = @Sendable (Event) -> Void

    /// An event of a link.
    public enum Event: Sendable {
        /// The authenticator of this session proved a link, which the client should keep, in the place of an older one
        /// with the same `SharedLink/id`.
        case linked(SharedLink)
        /// The authenticator sent linking data that must not be kept. Once for each code of error in a session.
        case refused(HybridProtocolError)
        /// The tunnel service says that the link is gone for good: the client should forget it. Nothing else is a
        /// reason to (HT-STA-8).
        case gone(SharedLink)
        /// The authenticator of a link cannot be reached now, or has declined. The link stays valid.
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
    ///   - links: the authenticators that are tried without a QR code. Each of them is woken, so there should be few.
    ///   - isOffered: true if the QR code says that an authenticator may send a link, and the session's end waits for
    ///     it.
    ///   - observe: gets the events of links.
    public init(links: [SharedLink] = [], isOffered: Bool = false, observe: @escaping Observer = { _ in }) {
        self.links = links
        self.isOffered = isOffered
        self.observe = observe
    }
}
