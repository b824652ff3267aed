public import Cryptography

/// The one secret from which an authenticator makes all that linking needs (the article Key derivation).
///
/// Nothing has to be kept for a link but its IDs: its link secret is computed again from the root secret. Anyone who
/// learns it can play the authenticator towards every linked client.
public struct RootSecret: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// The length: 32 bytes (HT-KEY-12).
    public static let byteCount = 32

    /// Takes a root secret.
    ///
    /// - Parameter secret: 32 bytes, drawn once for an authenticator.
    /// - Throws: `wrongLength`.
    public init(_ secret: consuming SecretBytes) throws(HybridProtocolError) {
        guard secret.count == Self.byteCount else {
            throw HybridProtocolError(.wrongLength, reason: "a root secret has \(Self.byteCount) bytes")
        }
        self.secret = secret
    }

    private init(checked secret: consuming SecretBytes) { self.secret = secret }

    /// A second owner of the same secret, said out loud.
    package func clone() -> RootSecret { RootSecret(checked: secret.clone()) }

    /// The 32 bytes, to be stored where no other user can read them.
    public var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { secret.span }
    }

    /// The secret of one link: derive(derive(root, contact ID, 6, 32), link ID, 4, 32) (HT-KEY-9).
    ///
    /// - Throws: `cryptographyFailed`.
    public func linkSecret(contactID: ContactID, linkID: LinkID) throws(HybridProtocolError) -> LinkSecret {
        let ofContact = KeySchedule.derive(
            .contactIDSecret, from: secret.span, salt: contactID.bytes.span, byteCount: Self.byteCount)
        return try LinkSecret(
            KeySchedule.derive(
                .pairedSecret, from: ofContact.span, salt: linkID.bytes.span, byteCount: LinkSecret.byteCount))
    }

    /// The authenticator's static key, by which its clients know it again: always the same (HT-KEY-10).
    ///
    /// It is expanded from derive(root, –, 5, 32) as Chromium's phone does it, by
    /// `P256/PrivateKey/init(expanding:info:)` under BoringSSL's info (HT-KEY-11): an authenticator with the same root
    /// secret has the same key.
    ///
    /// - Throws: `cryptographyFailed`.
    public func identityKey() throws(HybridProtocolError) -> P256.PrivateKey {
        let seed = KeySchedule.derive(.identityKeySeed, from: secret.span, byteCount: Self.byteCount)
        return try Self.expand(seed.span, Self.identityKeyInfo)
    }

    /// The key by which the authenticator proves to a tunnel service that contact IDs are its own: always the same
    /// (HT-KEY-13).
    ///
    /// It comes from the root secret itself, under an info that is longer than a purpose's four bytes, so that it
    /// collides with none. Clients never see it: a tunnel service cannot tell by it which clients' authenticator it
    /// serves.
    ///
    /// - Throws: `cryptographyFailed`.
    public func contactKey() throws(HybridProtocolError) -> P256.PrivateKey {
        try Self.expand(secret.span, Self.contactKeyInfo)
    }

    private static let identityKeyInfo = "derive EC key P-256"
    private static let contactKeyInfo = "hybrid transport contact key P-256"

    private static func expand(_ seed: Span<UInt8>, _ info: String) throws(HybridProtocolError) -> P256.PrivateKey {
        let info = Array(info.utf8)
        do { return try P256.PrivateKey(expanding: seed, info: info.span) } catch { throw HybridProtocolError(error) }
    }
}

/// The secret that one linked client and its authenticator share (HT-LNK-8).
public struct LinkSecret: ~Copyable, Sendable {
    package let bytes: SecretBytes

    /// The length: 32 bytes.
    public static let byteCount = 32

    /// Takes a link secret.
    ///
    /// - Parameter secret: 32 bytes.
    /// - Throws: `wrongLength`.
    public init(_ secret: consuming SecretBytes) throws(HybridProtocolError) {
        guard secret.count == Self.byteCount else {
            throw HybridProtocolError(.wrongLength, reason: "a link secret has \(Self.byteCount) bytes")
        }
        bytes = secret
    }

    /// The key of the advert that answers a client's nonce (HT-KEY-7).
    func advertKey(_ nonce: ClientNonce) throws(HybridProtocolError) -> AdvertKey {
        try KeySchedule.advertKey(from: bytes.span, salt: nonce.bytes.span)
    }

    /// The pre-shared key of the handshake that follows an advert (HT-KEY-8).
    func presharedKey(_ plaintext: LinkedAdvertPlaintext) -> SecretBytes {
        KeySchedule.derive(
            .presharedKey, from: bytes.span, salt: plaintext.bytes.span, byteCount: presharedKeyByteCount)
    }

    private init(checked bytes: consuming SecretBytes) { self.bytes = bytes }

    /// A second owner of the same secret.
    func clone() -> LinkSecret { LinkSecret(checked: bytes.clone()) }
}
