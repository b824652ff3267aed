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
