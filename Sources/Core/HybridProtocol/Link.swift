public import Cryptography
internal import Encodings

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
            contactID: map.contactID, linkID: map.linkID, publicKey: map.publicKey,
            name: map.name.truncated(toByteCount: Self.maximumNameByteCount), domain: domain, secret: map.secret)
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
}

// The stored form of a link: a map of canonical CBOR with a version, of this project's own making.

extension Link {
    /// The version of the stored form.
    static let version: UInt64 = 1

    private enum Key {
        static let version = 0
        static let contactID = 1
        static let linkID = 2
        static let secret = 3
        static let publicKey = 4
        static let name = 5
        static let domain = 6
        static let count = 7
    }

    /// The link as it is stored: canonical CBOR, up to 4.4 KB. It holds the secret.
    public func encoded() -> SecretBytes {
        var map = CBORMap()
        map[Key.version] = .unsigned(Self.version)
        map[Key.contactID] = .bytes(contactID.bytes)
        map[Key.linkID] = .bytes(linkID.bytes)
        map[Key.secret] = .bytes([UInt8](repeating: 0, count: LinkSecret.byteCount))
        map[Key.publicKey] = .bytes(publicKey.uncompressed)
        map[Key.name] = .text(name)
        map[Key.domain] = .unsigned(UInt64(domain.number))
        let encoded = SecretArray(map.encoded(writing: secret.bytes.span, at: [Key.secret]))
        return SecretBytes(copying: encoded.span)
    }

    /// Reads a stored link.
    ///
    /// Strict, since only we write it: a link that was read is written to the same bytes.
    ///
    /// - Parameter stored: the result of ``encoded()``.
    /// - Throws: `invalidCBOR`, `notAMap`, `unsupportedVersion` for a later version, `missingField`, `wrongType`,
    ///   `wrongLength`, `invalidPoint`, `unassignedDomain`, `tooLong` for the name, `unknownField`.
    public init(decoding stored: Span<UInt8>) throws(HybridProtocolError) {
        var contents = try SecretMap(decoding: stored, secretKey: Key.secret, in: "the stored link")
        let map = contents.fields
        guard try Self.required(map, Key.version, \.unsignedValue) == Self.version else {
            throw HybridProtocolError(.unsupportedVersion, reason: "the stored link is of a later version")
        }
        let secret = try contents.takeSecret(Key.secret, in: "the stored link")
        let name = try Self.required(map, Key.name, \.textValue)
        guard name.utf8.count <= Self.maximumNameByteCount else {
            throw HybridProtocolError(.tooLong, reason: "the stored link's name is too long")
        }
        guard let number = UInt16(exactly: try Self.required(map, Key.domain, \.unsignedValue)) else {
            throw HybridProtocolError(.unassignedDomain, reason: "the stored link's domain is not a tunnel domain")
        }
        guard map.count <= Key.count else {
            throw HybridProtocolError(.unknownField, reason: "the stored link has a key too many")
        }
        let contact = try Self.required(map, Key.contactID, \.bytesValue)
        let contactID: ContactID
        do { contactID = try ContactID(contact) } catch { throw HybridProtocolError(error) }
        try self.init(
            contactID: contactID,
            linkID: LinkID(Self.required(map, Key.linkID, \.bytesValue)),
            publicKey: P256.PublicKey(linked: Self.required(map, Key.publicKey, \.bytesValue)), name: name,
            domain: TunnelDomain(number), secret: LinkSecret(secret))
    }

    private static func required<Value>(
        _ map: CBORMap,
        _ key: Int,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value {
        try map.required(key, in: "the stored link", read)
    }
}

/// Link with several owners, such as a file's entry and a ceremony. The secret is wiped when the last one is gone.
public final class SharedLink: Sendable {
    /// The link.
    public let link: Link

    /// Takes a link in.
    public init(_ link: consuming Link) { self.link = link }

    /// The authenticator's identity: the X coordinate of its public key, 32 bytes. Two links of one authenticator
    /// share it.
    public var id: [UInt8] { Array(link.publicKey.compressed.dropFirst()) }
}

/// A client's attempt to reach a linked authenticator without a QR code (HT-STA-14).
///
/// Several may run at once, beside a QR code: the first whose advert decrypts is used up by its handshake,
/// ``Initiator``, and the others are dropped.
public struct LinkedAttempt: ~Copyable, Sendable {
    /// The link that is tried.
    public let link: Link
    /// The request that the tunnel service passes to the authenticator.
    public let request: ContactRequest

    /// Begins an attempt.
    ///
    /// - Parameters:
    ///   - link: used up; a client that keeps it gives a ``Link/clone()``.
    ///   - nonce: new and random: with an old one an old advert would open.
    ///   - hint: the kind of the coming request: `ga` or `mc`.
    /// - Throws: `unsupportedHint`.
    public init(
        _ link: consuming Link,
        nonce: ClientNonce,
        hint: RequestHint
    ) throws(HybridProtocolError) {
        let request = try ContactRequest(linkID: link.linkID, nonce: nonce, hint: hint)
        self.link = link
        self.request = request
    }

    /// The key of the advert that answers this attempt.
    ///
    /// - Throws: `cryptographyFailed`.
    public func advertKey() throws(HybridProtocolError) -> AdvertKey { try link.secret.advertKey(request.nonce) }
}
