public import Cryptography

/// The authenticator's side of the handshake: KNpsk0 after a QR code, NKpsk0 in a state-assisted session (HT-HS-1,
/// HT-HS-2).
public struct Responder: ~Copyable, Sendable {
    private var handshake: Handshake
    private let updates: UpdatePolicy

    /// Waits for the client that showed the QR code.
    ///
    /// - Parameters:
    ///   - invitation: the contents of the QR code; it is used up.
    ///   - advert: the plaintext that we sent out, sealed.
    /// - Throws: `cryptographyFailed`.
    public init(
        _ invitation: consuming Invitation,
        advert: AdvertPlaintext
    ) throws(HybridProtocolError) {
        self = try ResponderKeys(invitation, advert: advert).responder()
    }

    init(_ handshake: consuming Handshake, updates: UpdatePolicy) {
        self.handshake = handshake
        self.updates = updates
    }

    /// Waits for the linked client that called us.
    ///
    /// - Parameters:
    ///   - session: the client's call; it is used up.
    ///   - advert: the plaintext that we sent out, sealed.
    /// - Throws: `cryptographyFailed`.
    public init(
        _ session: consuming WokenSession,
        advert: LinkedAdvertPlaintext
    ) throws(HybridProtocolError) {
        let presharedKey = session.secret.presharedKey(advert)
        let handshake: Handshake
        do {
            handshake = try Handshake(
                .nkPSK0, role: .responder, staticKey: session.identityKey, presharedKey: presharedKey)
        } catch { throw HybridProtocolError(error) }
        self.handshake = handshake
        updates = .none
    }

    /// Reads message 1 and writes message 2, which ends the handshake.
    ///
    /// - Parameters:
    ///   - message: exactly 81 bytes.
    ///   - ephemeralKey: a new key pair that is used for nothing else (HT-HS-11).
    /// - Throws: `wrongLength` (HT-HS-13, HT-HS-21, HT-HS-22), `invalidPoint`; `badTag`, most often because
    ///   the client has not heard our advert (HT-HS-17, HT-HS-18, HT-HS-19).
    public consuming func answer(
        _ message: Span<UInt8>,
        ephemeralKey: consuming P256.PrivateKey
    ) throws(HybridProtocolError) -> ConnectedAuthenticator {
        try answer(message, ephemeralKey: ephemeralKey, keyLog: nil)
    }

    /// Reads message 1 and writes message 2 likewise.
    ///
    /// - Parameters:
    ///   - message: exactly 81 bytes.
    ///   - ephemeralKey: a new key pair that is used for nothing else.
    ///   - keyLog: gets the keys of the session.
    package consuming func answer(
        _ message: Span<UInt8>, ephemeralKey: consuming P256.PrivateKey, keyLog: TrafficKeyLog?
    ) throws(HybridProtocolError) -> ConnectedAuthenticator {
        try prepare(ephemeralKey: ephemeralKey)
        return try answer(message, keyLog: keyLog)
    }

    /// Takes the key of message 2 before message 1 has come, and computes the values that depend on nothing else, so
    /// that the client need not wait for them.
    ///
    /// - Parameter ephemeralKey: a new key pair that is used for nothing else (HT-HS-11).
    /// - Throws: `cryptographyFailed`.
    package mutating func prepare(ephemeralKey: consuming P256.PrivateKey) throws(HybridProtocolError) {
        do { try handshake.prepare(ephemeralKey: ephemeralKey) } catch { throw HybridProtocolError(error) }
    }

    /// Reads message 1 and writes message 2 likewise, with the key of ``prepare(ephemeralKey:)``.
    ///
    /// - Parameters:
    ///   - message: exactly 81 bytes.
    ///   - keyLog: gets the keys of the session.
    package consuming func answer(
        _ message: Span<UInt8>, keyLog: TrafficKeyLog?
    ) throws(HybridProtocolError) -> ConnectedAuthenticator {
        try checkHandshakeLength(message)
        let response: [UInt8]
        let result: HandshakeResult
        do {
            _ = try handshake.readMessage(message)
            response = try handshake.writeMessage()
            result = try handshake.finish()
        } catch { throw HybridProtocolError(error) }
        keyLog?(TrafficKeys(result.keys, message: message.withUnsafeBufferPointer { Array($0) }))
        return ConnectedAuthenticator(
            response: response, channel: try SecureChannel(result, role: .responder), updates: updates)
    }
}

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
