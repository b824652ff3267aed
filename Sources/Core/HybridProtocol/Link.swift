public import Cryptography

/// Link of a client to an authenticator, to reach it again without a QR code (the article StateAssistedTransactions).
///
/// There are two ways to get one: from a session whose authenticator has proved to own the key, by
/// ``ClientSession/takeLink()``, and from where it was stored.
public struct Link: ~Copyable, Sendable {
    /// The name by which the tunnel service reaches the authenticator.
    public let contactID: ContactID
    /// The name of the link, for the authenticator.
    public let linkID: LinkID
    /// The authenticator's static key. Two links with the same key lead to one authenticator: the newer one replaces
    /// the older.
    public let publicKey: P256.PublicKey
    /// The authenticator's name, for people: at most ``maximumNameByteCount`` bytes, whatever characters it chose.
    public let name: String
    /// The domain of its tunnel service: that of the session in which the link was made.
    public let domain: TunnelDomain
    package let secret: LinkSecret

    /// The most UTF-8 bytes of a name that are kept or sent: 128.
    public static let maximumNameByteCount = 128

    init(_ map: consuming LinkingMap, domain: TunnelDomain) {
        self.init(
            contactID: map.contactID, linkID: map.linkID, publicKey: map.publicKey, name: Self.cut(map.name),
            domain: domain, secret: map.secret)
    }

    init(
        contactID: ContactID,
        linkID: LinkID,
        publicKey: P256.PublicKey,
        name: String,
        domain: TunnelDomain,
        secret: consuming LinkSecret
    ) {
        self.contactID = contactID
        self.linkID = linkID
        self.publicKey = publicKey
        self.name = name
        self.domain = domain
        self.secret = secret
    }

    /// A second owner of the same link, for instance to try it and to keep it.
    public func clone() -> Link {
        Link(
            contactID: contactID, linkID: linkID, publicKey: publicKey, name: name, domain: domain,
            secret: secret.clone())
    }

    /// The longest beginning of a name that fits, cut between two Unicode scalars.
    static func cut(_ name: String) -> String {
        var end = name.unicodeScalars.startIndex
        var byteCount = 0
        for scalar in name.unicodeScalars {
            byteCount += UTF8.width(scalar)
            guard byteCount <= maximumNameByteCount else { break }
            end = name.unicodeScalars.index(after: end)
        }
        return String(name.unicodeScalars[..<end])
    }
}
