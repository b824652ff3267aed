import Cryptography
import HybridProtocol
import Testing

/// An application with a code and messages of its own, against sessions of requests and those of another application.
@Suite("An application's code")
struct ApplicationMessagesTests {
    private static let chat = InvitationScheme(
        urlPrefix: "example-chat:/", label: "example chat 1", codeName: "chat code")
    private static let files = InvitationScheme(
        urlPrefix: "EXAMPLE-FILES:/", label: "example files 1", codeName: "files code")

    private static func invitation(
        _ scheme: InvitationScheme, _ privateKey: consuming P256.PrivateKey
    ) throws -> ClientInvitation {
        let secret = Inputs.secret
        return try ClientInvitation(
            privateKey: privateKey, secret: SecretBytes(copying: secret.span), details: .plain, of: scheme)
    }

    @Test("shares no key with a session of another scheme of the same QR secret", arguments: [.fido, files])
    func otherKeys(other: InvitationScheme) throws {
        let key = try P256.PrivateKey.generate()
        let requests = try Self.invitation(other, key.clone())
        let chat = try Self.invitation(Self.chat, key)
        #expect(try requests.invitation.tunnelID() != chat.invitation.tunnelID())
        var sealing = try requests.invitation.advertKey()
        var opening = try chat.invitation.advertKey()
        let advert = try sealing.seal(Inputs.advert())
        #expect(throws: HybridProtocolError(.badTag, reason: "")) { _ = try opening.open(advert.span) }
    }

    @Test("completes no handshake with a session of requests, even of the same session secret")
    func otherPrologue() throws {
        let key = try P256.PrivateKey.generate()
        let advert = try Inputs.advert()
        let chat = try Self.invitation(Self.chat, key.clone())
        // A client whose QR secret is the application's session secret has the same pre-shared key.
        let secret = Inputs.secret
        let session = Self.chat.sessionSecret(of: SecretBytes(copying: secret.span))
        let requests = try ClientInvitation(privateKey: key, secret: session, details: .plain)
        #expect(try requests.invitation.tunnelID() == chat.invitation.tunnelID())
        let responder = try Responder(Invitation(url: requests.invitation.url()), advert: advert)
        let message = try Initiator(chat, advert: advert, ephemeralKey: .generate()).message
        #expect(responder.refusal(of: message) == .badTag)
    }

    @Test("is refused where one of another scheme is wanted, and is read in either case")
    func otherText() throws {
        let requests = try Self.invitation(.fido, .generate()).invitation.url()
        let chat = try Self.invitation(Self.chat, .generate()).invitation.url()
        #expect(chat.hasPrefix("EXAMPLE-CHAT:/"))
        #expect(throws: HybridProtocolError(.otherPurpose, reason: "")) {
            _ = try ApplicationInvitation(url: requests, scheme: Self.chat)
        }
        #expect(throws: HybridProtocolError(.notFIDOURL, reason: "")) {
            _ = try ApplicationInvitation(url: chat, scheme: Self.files)
        }
        #expect(throws: HybridProtocolError(.notFIDOURL, reason: "")) { _ = try Invitation(url: chat) }
        let read = try ApplicationInvitation(url: chat.lowercased(), scheme: Self.chat)
        #expect(read.details.timestamp == Invitation.Details.plain.timestamp)
    }

    /// Both ends after the handshake, for messages of any bytes.
    private struct Ends: ~Copyable {
        var client: MessageSession<OpaqueMessages>
        var authenticator: MessageSession<OpaqueMessages>

        init() throws {
            let invitation = try ApplicationMessagesTests.invitation(chat, .generate())
            let advert = try Inputs.advert()
            let scanned = try ApplicationInvitation(url: invitation.invitation.url(), scheme: chat).intoInvitation()
            let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
            let message = initiator.message
            let connected = try Responder(scanned, advert: advert).answer(message.span, ephemeralKey: .generate())
            let response = connected.response
            client = try initiator.finish(response.span).exchange(OpaqueMessages.init)
            authenticator = connected.exchange(OpaqueMessages.init)
        }
    }

    @Test("leads to messages in both directions, in their order, and to one handshake hash")
    func messages() throws {
        var ends = try Ends()
        let first = try ends.client.seal([1])
        let second = try ends.client.seal([2, 2])
        #expect(try ends.authenticator.open(first) == [1])
        #expect(try ends.authenticator.open(second) == [2, 2])
        #expect(try ends.client.open(ends.authenticator.seal([3])) == [3])
        let (hash, other) = (ends.client.handshakeHash, ends.authenticator.handshakeHash)
        #expect(hash == other && hash.count == 32)
    }

    @Test("leaves the session as it was after a message that is too long, and ends it with a frame that comes twice")
    func refused() throws {
        var ends = try Ends()
        #expect(throws: HybridProtocolError(.tooLong, reason: "")) {
            _ = try ends.client.seal([UInt8](repeating: 0, count: SecureChannel.maximumMessageByteCount + 1))
        }
        let frame = try ends.client.seal([1])
        #expect(try ends.authenticator.openIfFrame(Array(frame.dropLast())) == nil)
        #expect(try ends.authenticator.openIfFrame(frame) == [1])
        #expect(throws: HybridProtocolError(.badTag, reason: "")) { _ = try ends.authenticator.open(frame) }
        let isOver = ends.authenticator.isOver
        #expect(isOver)
        #expect(throws: HybridProtocolError(.sessionEnded, reason: "")) { _ = try ends.authenticator.seal([1]) }
        #expect(throws: HybridProtocolError(.sessionEnded, reason: "")) {
            _ = try ends.authenticator.openIfFrame(frame)
        }
    }
}
