public import Cryptography

/// An authenticator that a linked client has called through the tunnel service (HT-STA-28): its advert and its
/// handshake, ``Responder``, come next.
///
/// Nothing in the request is authenticated yet. A client that does not hold the link's secret can neither open the
/// advert nor finish the handshake.
public struct WokenSession: ~Copyable, Sendable {
    /// The client's request.
    public let request: ContactRequest
    let secret: LinkSecret
    let identityKey: P256.PrivateKey

    /// Answers a request.
    ///
    /// The caller has to check that the link exists and has not been revoked: every link ID has a secret.
    ///
    /// - Parameters:
    ///   - request: the client's.
    ///   - contactID: the name by which the client reached us, as the tunnel service says.
    ///   - root: the authenticator's.
    /// - Throws: `cryptographyFailed`.
    public init(
        _ request: ContactRequest,
        contactID: ContactID,
        root: borrowing RootSecret
    ) throws(HybridProtocolError) {
        try self.init(
            request, secret: root.linkSecret(contactID: contactID, linkID: request.linkID),
            identityKey: root.identityKey())
    }

    /// Answers a request with a secret and a key that come from elsewhere.
    ///
    /// - Parameters:
    ///   - request: the client's.
    ///   - secret: of the link that the request names.
    ///   - identityKey: our static key, which the client learnt when it was linked.
    public init(
        _ request: ContactRequest,
        secret: consuming LinkSecret,
        identityKey: consuming P256.PrivateKey
    ) {
        self.request = request
        self.secret = secret
        self.identityKey = identityKey
    }

    /// The key of the advert that answers the request.
    ///
    /// - Throws: `cryptographyFailed`.
    public func advertKey() throws(HybridProtocolError) -> AdvertKey { try secret.advertKey(request.nonce) }
}
