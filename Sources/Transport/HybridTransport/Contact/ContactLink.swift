public import HybridProtocol

/// A link by whose contact ID an authenticator may be woken.
public struct ContactLink: Sendable, Hashable {
    /// The link's ID.
    public let linkID: LinkID
    /// The contact ID that its client has; nil if it is not known.
    ///
    /// It is another one than the service gives today if the service has got another contact secret since. As long as
    /// the service takes the previous secret too, it wakes by both.
    public let contactID: ContactID?

    /// Makes a link.
    public init(_ linkID: LinkID, contactID: ContactID? = nil) {
        self.linkID = linkID
        self.contactID = contactID
    }
}
