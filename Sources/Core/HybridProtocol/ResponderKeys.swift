internal import Cryptography

/// Keys of the authenticator's side of the handshake that follows a QR code, for several candidates.
///
/// Anybody near can connect to a listening authenticator, and only message 1 shows who is the client. Each candidate
/// gets a ``Responder`` of its own, of which the first to read a valid message is used and the others are dropped.
public struct ResponderKeys: ~Copyable, Sendable {
    private let clientKey: P256.PublicKey
    private let presharedKey: SecretBytes
    private let pattern: HandshakePattern
    private let updates: UpdatePolicy

    /// Derives the keys.
    ///
    /// - Parameters:
    ///   - invitation: the contents of the QR code; it is used up.
    ///   - advert: the plaintext that we send out, sealed.
    public init(_ invitation: consuming Invitation, advert: AdvertPlaintext) {
        presharedKey = invitation.presharedKey(advert)
        clientKey = invitation.clientPublicKey
        pattern = invitation.scheme.pattern
        updates = invitation.details.supportsLinking == true ? .linking(clientKey) : .filler
    }

    /// Makes a responder that has read no message yet.
    ///
    /// - Throws: `cryptographyFailed`.
    public func responder() throws(HybridProtocolError) -> Responder {
        let handshake: Handshake
        do {
            handshake = try Handshake(
                pattern, role: .responder, remoteStaticKey: clientKey, presharedKey: presharedKey.clone())
        } catch { throw HybridProtocolError(error) }
        return Responder(handshake, updates: updates)
    }
}
