public import Cryptography

/// Offer of an authenticator to a client that may reach it without a QR code from now on (HT-LNK-2).
///
/// ``AuthenticatorSession/sealUpdate(offering:)`` signs it for its session and sends it.
public struct LinkOffer: ~Copyable, Sendable {
    /// The name by which the tunnel service reaches us for this client.
    public let contactID: ContactID
    /// The name of this link.
    public let linkID: LinkID
    /// Our name, as the client will show it.
    public let name: String
    let secret: LinkSecret
    let identityKey: P256.PrivateKey

    /// Makes an offer.
    ///
    /// - Parameters:
    ///   - contactID: the contact ID that the tunnel service issued for this link.
    ///   - linkID: new and random.
    ///   - root: the authenticator's.
    ///   - name: for people; cut to ``Link/maximumNameByteCount`` bytes.
    /// - Throws: `cryptographyFailed`.
    public init(
        contactID: ContactID,
        linkID: LinkID,
        root: borrowing RootSecret,
        name: String
    ) throws(HybridProtocolError) {
        try self.init(
            contactID: contactID, linkID: linkID, secret: root.linkSecret(contactID: contactID, linkID: linkID),
            identityKey: root.identityKey(), name: name)
    }

    /// Makes an offer from a secret and a key that come from elsewhere.
    ///
    /// - Parameters:
    ///   - contactID: the name by which the tunnel service reaches us.
    ///   - linkID: the name of this link.
    ///   - secret: the secret of this link.
    ///   - identityKey: our static key.
    ///   - name: for people; cut to ``Link/maximumNameByteCount`` bytes.
    public init(
        contactID: ContactID,
        linkID: LinkID,
        secret: consuming LinkSecret,
        identityKey: consuming P256.PrivateKey,
        name: String
    ) {
        self.contactID = contactID
        self.linkID = linkID
        self.name = Link.cut(name)
        self.secret = secret
        self.identityKey = identityKey
    }
}
