public import Cryptography
internal import Noise

/// The client's side of the handshake of a QR-initiated session (KNpsk0; PROTOCOL.md 6).
///
/// To make one is to write message 1; to use it up is to read message 2. There is no other order.
public struct Initiator: ~Copyable, Sendable {
    /// Message 1, to be sent to the authenticator: 81 bytes.
    public let message: [UInt8]
    private var handshake: Handshake

    /// Begins the handshake with the authenticator whose advert was opened.
    ///
    /// - Parameters:
    ///   - invitation: ours; it is used up.
    ///   - advert: the plaintext of the advert, which proves that the authenticator is near.
    ///   - ephemeralKey: a new key pair that is used for nothing else.
    /// - Throws: `cryptographyFailed`.
    public init(
        _ invitation: consuming ClientInvitation,
        advert: AdvertPlaintext,
        ephemeralKey: consuming P256.PrivateKey
    ) throws(HybridProtocolError) {
        var handshake = try Self.begin(invitation, advert: advert)
        do { message = try handshake.writeMessage(ephemeralKey: ephemeralKey) } catch {
            throw HybridProtocolError(error)
        }
        self.handshake = handshake
    }

    private static func begin(
        _ invitation: consuming ClientInvitation,
        advert: AdvertPlaintext
    ) throws(HybridProtocolError) -> Handshake {
        let presharedKey = try invitation.invitation.presharedKey(advert)
        do {
            return try Handshake(
                .knPSK0, role: .initiator, staticKey: invitation.privateKey, presharedKey: presharedKey)
        } catch { throw HybridProtocolError(error) }
    }

    /// Reads message 2, which ends the handshake.
    ///
    /// - Parameter response: exactly 81 bytes.
    /// - Throws: `wrongLength`, `invalidPoint`; `badTag`, most often because the other side has another secret or has not
    ///   sent our advert.
    public consuming func finish(_ response: Span<UInt8>) throws(HybridProtocolError) -> ConnectedClient {
        try checkHandshakeLength(response)
        let result: HandshakeResult
        do {
            _ = try handshake.readMessage(response)
            result = try handshake.finish()
        } catch { throw HybridProtocolError(error) }
        return ConnectedClient(result)
    }
}

/// How many bytes each handshake message has: a point of 65 bytes and a tag of 16.
public let handshakeMessageByteCount = P256.uncompressedByteCount + AES256GCM.tagByteCount

func checkHandshakeLength(_ message: Span<UInt8>) throws(HybridProtocolError) {
    guard message.count == handshakeMessageByteCount else {
        throw HybridProtocolError(
            .wrongLength,
            reason: "a handshake message has \(handshakeMessageByteCount) bytes, not \(message.count)")
    }
}
