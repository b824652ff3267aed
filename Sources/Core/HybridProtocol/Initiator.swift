public import Cryptography

/// The client's side of the handshake: KNpsk0 after a QR code, NKpsk0 in a state-assisted session (HT-HS-1,
/// HT-HS-2).
///
/// To make one is to write message 1; to use it up is to read message 2. There is no other order.
public struct Initiator: ~Copyable, Sendable {
    /// Message 1, to be sent to the authenticator: 81 bytes.
    public let message: [UInt8]
    private var handshake: Handshake
    private let linkVerifier: LinkVerifier?

    /// Begins the handshake with the authenticator that has scanned our QR code, and whose advert was decrypted.
    ///
    /// - Parameters:
    ///   - invitation: ours; it is used up. Of its private key a copy is kept for the session if it offered linking.
    ///   - advert: the plaintext of the advert, which proves that the authenticator is near.
    ///   - ephemeralKey: a new key pair that is used for nothing else (HT-HS-11).
    /// - Throws: `cryptographyFailed`.
    public init(
        _ invitation: consuming ClientInvitation,
        advert: AdvertPlaintext,
        ephemeralKey: consuming P256.PrivateKey
    ) throws(HybridProtocolError) {
        let verifier = invitation.linkVerifier(domain: advert.domain)
        let presharedKey = invitation.invitation.presharedKey(advert)
        let pattern = invitation.invitation.scheme.pattern
        let handshake: Handshake
        do {
            handshake = try Handshake(
                pattern, role: .initiator, staticKey: invitation.privateKey, presharedKey: presharedKey)
        } catch { throw HybridProtocolError(error) }
        try self.init(handshake, ephemeralKey: ephemeralKey, verifier)
    }

    /// Begins the handshake with a linked authenticator, whose advert was decrypted.
    ///
    /// - Parameters:
    ///   - attempt: ours; it is used up.
    ///   - advert: the plaintext of the advert, which proves that the authenticator is near.
    ///   - ephemeralKey: a new key pair that is used for nothing else (HT-HS-11).
    /// - Throws: `cryptographyFailed`.
    public init(
        _ attempt: consuming LinkedAttempt,
        advert: LinkedAdvertPlaintext,
        ephemeralKey: consuming P256.PrivateKey
    ) throws(HybridProtocolError) {
        let presharedKey = attempt.link.secret.presharedKey(advert)
        let handshake: Handshake
        do {
            handshake = try Handshake(
                .nkPSK0, role: .initiator, remoteStaticKey: attempt.link.publicKey, presharedKey: presharedKey)
        } catch { throw HybridProtocolError(error) }
        try self.init(handshake, ephemeralKey: ephemeralKey, nil)
    }

    private init(
        _ handshake: consuming Handshake,
        ephemeralKey: consuming P256.PrivateKey,
        _ linkVerifier: consuming LinkVerifier?
    ) throws(HybridProtocolError) {
        let message: [UInt8]
        do { message = try handshake.writeMessage(ephemeralKey: ephemeralKey) } catch {
            throw HybridProtocolError(error)
        }
        self.message = message
        self.handshake = handshake
        self.linkVerifier = linkVerifier
    }

    /// Reads message 2, which ends the handshake.
    ///
    /// - Parameter response: exactly 81 bytes.
    /// - Throws: `wrongLength` (HT-HS-13, HT-HS-21, HT-HS-22), `invalidPoint`; `badTag`, most often because
    ///   the other side has another secret or has not sent our advert (HT-HS-17, HT-HS-18, HT-HS-19).
    public consuming func finish(_ response: Span<UInt8>) throws(HybridProtocolError) -> ConnectedClient {
        try finish(response, keyLog: nil)
    }

    /// Reads message 2 likewise.
    ///
    /// - Parameters:
    ///   - response: exactly 81 bytes.
    ///   - keyLog: gets the keys of the session.
    package consuming func finish(
        _ response: Span<UInt8>, keyLog: TrafficKeyLog?
    ) throws(HybridProtocolError) -> ConnectedClient {
        try checkHandshakeLength(response)
        let result: HandshakeResult
        do {
            _ = try handshake.readMessage(response)
            result = try handshake.finish()
        } catch { throw HybridProtocolError(error) }
        keyLog?(TrafficKeys(result.keys, message: message))
        return ConnectedClient(result, linkVerifier)
    }
}

/// The length of each handshake message: 81 bytes, a point of 65 and a tag of 16.
public let handshakeMessageByteCount = P256.uncompressedByteCount + AES256GCM.tagByteCount

func checkHandshakeLength(_ message: Span<UInt8>) throws(HybridProtocolError) {
    guard message.count == handshakeMessageByteCount else {
        throw HybridProtocolError(
            .wrongLength,
            reason: "a handshake message has \(handshakeMessageByteCount) bytes, not \(message.count)")
    }
}
