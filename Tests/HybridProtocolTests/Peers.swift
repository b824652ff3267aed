import Cryptography
import HybridProtocol

/// Inputs of every session here. The numbers mean nothing.
enum Inputs {
    static let secret = [UInt8](1...16)
    static let getInfo: [UInt8] = [0xa1, 0x01, 0x80]

    static func clientInvitation(_ details: Invitation.Details = .plain) throws -> ClientInvitation {
        try ClientInvitation(privateKey: .generate(), secret: SecretBytes(copying: secret.span), details: details)
    }

    static func advert(domain: TunnelDomain = .google) throws -> AdvertPlaintext {
        try AdvertPlaintext(
            nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: RoutingID([1, 2, 3]), domain: domain)
    }

    static func presharedKey(_ advert: AdvertPlaintext) -> SecretBytes {
        KeySchedule.derive(.presharedKey, from: secret.span, salt: advert.bytes.span, byteCount: 32)
    }
}

extension Invitation.Details {
    static let plain = Self(timestamp: 1_700_000_000, hint: .getAssertion)
    static let linkable = Self(timestamp: 1_700_000_000, supportsLinking: true, hint: .getAssertion)
}

/// A client and an authenticator of ours whose session has begun.
struct Pair: ~Copyable {
    var client: ClientSession
    var authenticator: AuthenticatorSession

    init(client: consuming ClientSession, authenticator: consuming AuthenticatorSession) {
        self.client = client
        self.authenticator = authenticator
    }

    init(features: Set<FirstMessage.Feature> = [.ctap], details: Invitation.Details = .plain) throws {
        let invitation = try Inputs.clientInvitation(details)
        let advert = try Inputs.advert(domain: .apple)
        let responder = try Responder(Invitation(url: invitation.invitation.url()), advert: advert)
        let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
        let message = initiator.message
        let connected = try responder.answer(message.span, ephemeralKey: .generate())
        let response = connected.response
        let waiting = try initiator.finish(response.span)
        let getInfo = features.contains(.ctap) ? Inputs.getInfo : nil
        let authenticator = try connected.sendFirstMessage(FirstMessage(getInfo: getInfo, features: features))
        let client = try waiting.readFirstMessage(authenticator.firstFrame)
        self.client = client
        self.authenticator = authenticator
    }
}

/// A client of ours that has finished the handshake, and the bare keys of its other side, with which a test can say
/// anything.
struct ClientAlone: ~Copyable {
    let client: ConnectedClient
    var sealer: FrameSealer
    var opener: FrameOpener
    /// The key that the client's QR code showed.
    let clientKey: P256.PublicKey

    init(construction: TransportConstruction = .current, details: Invitation.Details = .plain) throws {
        let invitation = try Inputs.clientInvitation(details)
        let clientKey = invitation.invitation.clientPublicKey
        let advert = try Inputs.advert()
        var handshake = try Handshake(
            .knPSK0, role: .responder, remoteStaticKey: invitation.invitation.clientPublicKey,
            presharedKey: Inputs.presharedKey(advert))
        let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
        let message = initiator.message
        _ = try handshake.readMessage(message.span)
        let response = try handshake.writeMessage(ephemeralKey: .generate())
        let result = try handshake.finish()
        let client = try initiator.finish(response.span)
        let sealer = try FrameSealer(key: result.keys.responderToInitiator.span, construction: construction)
        let opener = try FrameOpener(key: result.keys.initiatorToResponder.span, construction: construction)
        self.client = client
        self.sealer = sealer
        self.opener = opener
        self.clientKey = clientKey
    }
}

/// An authenticator of ours whose session has begun, and the bare keys of its other side.
struct AuthenticatorAlone: ~Copyable {
    var authenticator: AuthenticatorSession
    var sealer: FrameSealer
    var opener: FrameOpener

    init(features: Set<FirstMessage.Feature> = [.ctap]) throws {
        let staticKey = try P256.PrivateKey.generate()
        let publicKey = staticKey.publicKey
        let advert = try Inputs.advert()
        var handshake = try Handshake(
            .knPSK0, role: .initiator, staticKey: staticKey, presharedKey: Inputs.presharedKey(advert))
        let message = try handshake.writeMessage(ephemeralKey: .generate())
        let invitation = try Invitation(
            clientPublicKey: publicKey, secret: SecretBytes(copying: Inputs.secret.span), details: .plain)
        let connected = try Responder(invitation, advert: advert).answer(message.span, ephemeralKey: .generate())
        let response = connected.response
        _ = try handshake.readMessage(response.span)
        let result = try handshake.finish()
        let getInfo = features.contains(.ctap) ? Inputs.getInfo : nil
        let authenticator = try connected.sendFirstMessage(FirstMessage(getInfo: getInfo, features: features))
        let sealer = try FrameSealer(key: result.keys.initiatorToResponder.span)
        let opener = try FrameOpener(key: result.keys.responderToInitiator.span)
        self.authenticator = authenticator
        self.sealer = sealer
        self.opener = opener
    }
}

/// The code of the error that `body` ends with; nil if it ends well or with an error of another module.
func refusal(_ body: () throws -> Void) -> HybridProtocolError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? HybridProtocolError)?.code
    }
}
