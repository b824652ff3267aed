public import Cryptography
internal import Encodings

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
        self.name = name.truncated(toByteCount: Link.maximumNameByteCount)
        self.secret = secret
        self.identityKey = identityKey
    }
}

/// Outcome of processing linking data that an authenticator sent (the article Linking).
public enum LinkingResult: Sendable, Equatable {
    /// There was none.
    case none
    /// It was good: there is a link, for ``ClientSession/takeLink()``.
    case verified
    /// It was dropped, and the session goes on: `linkingNotOffered`, `alreadyLinked`, `missingField`, `wrongType`,
    /// `wrongLength`, `invalidPoint`, `badSignature`.
    ///
    /// Chromium ends the connection then. But a peer that can send a frame of this session can also end it, and a
    /// request that waits for its answer has nothing to do with linking: so only the linking data is dropped
    /// (HT-LNK-33).
    case refused(HybridProtocolError)
}

/// Verifier of linking data, kept by a client for a QR-initiated session in which it offered to be linked.
package struct LinkVerifier: ~Copyable, Sendable {
    /// The private half of the key that the QR code showed.
    let privateKey: P256.PrivateKey
    /// The domain that the session's advert named.
    let domain: TunnelDomain

    package init(privateKey: consuming P256.PrivateKey, domain: TunnelDomain) {
        self.privateKey = privateKey
        self.domain = domain
    }

    /// Reads and verifies a linking map.
    package func verify(
        _ linking: consuming SecretMap,
        handshakeHash: [UInt8]
    ) throws(HybridProtocolError) -> Link {
        let map = try LinkingMap(linking)
        try map.verify(privateKey, handshakeHash: handshakeHash)
        return Link(map, domain: domain)
    }
}

/// Takes a session's linking data, once (HT-LNK-35, HT-LNK-36).
///
/// The first good linking map is the session's link, and the key to verify others is gone with it: an authenticator has
/// nothing to gain from a second link in the session of the first.
struct LinkReceiver: ~Copyable, Sendable {
    private var verifier: LinkVerifier?
    private var link: Link?
    private var isLinked = false

    /// - Parameter verifier: nil where no linking was offered: in sessions that are linked (HT-STA-41), or
    ///   whose QR code said so (HT-LNK-34).
    init(_ verifier: consuming LinkVerifier?) { self.verifier = verifier }

    mutating func receive(_ linking: consuming SecretMap?, handshakeHash: [UInt8]) -> LinkingResult {
        guard let linking = consume linking else { return .none }
        do {
            link = try verify(linking, handshakeHash)
        } catch { return .refused(error) }
        isLinked = true
        forgetKey()
        return .verified
    }

    /// Drops the key: nothing is verified any more.
    mutating func forgetKey() { verifier = nil }

    mutating func takeLink() -> Link? { link.take() }

    private func verify(
        _ linking: consuming SecretMap,
        _ handshakeHash: [UInt8]
    ) throws(HybridProtocolError) -> Link {
        guard !isLinked else {
            throw HybridProtocolError(.alreadyLinked, reason: "linking data for a second time")
        }
        switch verifier {
        case .some(let verifier): return try verifier.verify(linking, handshakeHash: handshakeHash)
        case .none:
            throw HybridProtocolError(
                .linkingNotOffered, reason: "linking data in a session that did not offer linking")
        }
    }
}
