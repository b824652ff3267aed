import Cryptography
import Encodings
import HybridProtocol
import Testing

/// State-assisted transactions (the article of that name) between two ends of ours.
@Suite("A linked session")
struct LinkedSessionTests {
    static let nonce = [UInt8](0x40..<0x50)

    /// Both ends, just before the handshake.
    struct LinkedEnds: ~Copyable {
        let attempt: LinkedAttempt
        let woken: WokenSession
        let plaintext: LinkedAdvertPlaintext

        init(root: UInt8 = 0x5a, contactID: [UInt8] = LinkMaker.contactID) throws {
            let attempt = try LinkedAttempt(
                LinkMaker.link(), nonce: ClientNonce(LinkedSessionTests.nonce), hint: .getAssertion)
            let request = try ContactRequest(headerValue: attempt.request.headerValue)
            let woken = try WokenSession(request, contactID: ContactID(contactID), root: LinkMaker.root(root))
            let plaintext = try LinkedAdvertPlaintext(
                random: randomBytes(count: LinkedAdvertPlaintext.randomByteCount))
            self.attempt = attempt
            self.woken = woken
            self.plaintext = plaintext
        }
    }

    @Test("carries request and answer, without any QR code")
    func session() throws {
        let ends = try LinkedEnds()
        var theirs = try ends.woken.advertKey()
        var ours = try ends.attempt.advertKey()
        let advert = try theirs.seal(ends.plaintext)
        let heard = try ours.openLinked(advert.span)
        #expect(heard == ends.plaintext)
        var pair = try Pair(ends, heard)
        let asked = try pair.authenticator.open(pair.client.sealRequest(.ctap([2, 0xa0])))
        #expect(asked == .request(.ctap([2, 0xa0])))
        let answered = try pair.client.open(pair.authenticator.sealResponse(.ctap([0])))
        #expect(answered == .response(.ctap([0])))
    }

    @Test("sends no update of any kind")
    func noUpdate() throws {
        let ends = try LinkedEnds()
        let plaintext = ends.plaintext
        var pair = try Pair(ends, plaintext)
        let takesOffer = pair.authenticator.takesLinkOffer
        #expect(!takesOffer)
        #expect(refusal { _ = try pair.authenticator.sealUpdate() } == .unexpectedMessage)
        #expect(refusal { _ = try pair.authenticator.sealUpdate(offering: LinkMaker.offer()) } == .unexpectedMessage)
    }

    @Test("drops linking data, says so, and goes on")
    func linkingData() throws {
        let ends = try LinkedEnds()
        let plaintext = ends.plaintext
        let secret = try LinkMaker.linkSecret()
        let key = KeySchedule.derive(
            .presharedKey, from: secret.span, salt: plaintext.bytes.span, byteCount: 32)
        var handshake = try Handshake(
            .nkPSK0, role: .responder, staticKey: LinkMaker.root().identityKey(), presharedKey: key)
        let initiator = try Initiator(ends.attempt, advert: plaintext, ephemeralKey: .generate())
        let message = initiator.message
        _ = try handshake.readMessage(message.span)
        let response = try handshake.writeMessage(ephemeralKey: .generate())
        let result = try handshake.finish()
        var sealer = try FrameSealer(key: result.keys.responderToInitiator.span)
        var client = try initiator.finish(response.span).readFirstMessage(
            sealer.seal(ClientSessionTests.firstMessage))
        let map = try LinkMaker.map(
            clientKey: P256.PrivateKey.generate().publicKey, handshakeHash: result.handshakeHash)
        let update: CBORMap = [1: .map(map)]
        let event = try client.open(sealer.seal([2] + update.encoded()))
        #expect(event == .update(.refused(HybridProtocolError(.linkingNotOffered, reason: ""))))
        _ = try client.sealRequest(.ctap([4]))
    }

    @Test("does not begin with a client that heard another advert")
    func otherAdvert() throws {
        let ends = try LinkedEnds()
        let plaintext = try LinkedAdvertPlaintext(random: [UInt8](repeating: 1, count: 15))
        let responder = try Responder(ends.woken, advert: ends.plaintext)
        let initiator = try Initiator(ends.attempt, advert: plaintext, ephemeralKey: .generate())
        let message = initiator.message
        #expect(responder.refusal(of: message) == .badTag)
    }

    @Test(
        "does not open the advert of another authenticator, nor one for another contact",
        arguments: [(1, LinkMaker.contactID), (0x5a, [1])] as [(UInt8, [UInt8])])
    func otherSecret(root: UInt8, contactID: [UInt8]) throws {
        let ends = try LinkedEnds(root: root, contactID: contactID)
        var theirs = try ends.woken.advertKey()
        var ours = try ends.attempt.advertKey()
        let advert = try theirs.seal(ends.plaintext)
        #expect(refusal { _ = try ours.openLinked(advert.span) } == .badTag)
    }

    @Test("is not the authenticator's whose key the client does not know, though it has the link's secret")
    func otherIdentity() throws {
        let ends = try LinkedEnds()
        let plaintext = ends.plaintext
        let woken = WokenSession(
            ends.woken.request, secret: try LinkSecret(LinkMaker.linkSecret()), identityKey: try .generate())
        let responder = try Responder(woken, advert: plaintext)
        let initiator = try Initiator(ends.attempt, advert: plaintext, ephemeralKey: .generate())
        let message = initiator.message
        #expect(responder.refusal(of: message) == .badTag)
    }

    @Test("has an advert whose last bytes no client takes for an unassigned domain")
    func plaintexts() throws {
        for low in 0...255 as ClosedRange<UInt8> {
            for high in [0, 1, 255] as [UInt8] {
                let random = [UInt8](repeating: 7, count: 13) + [low, high]
                let plaintext = try LinkedAdvertPlaintext(random: random)
                #expect((try? AdvertPlaintext(plaintext.bytes)) != nil)
                #expect(plaintext.bytes.first == 0 && plaintext.bytes[1..<15] == random[0..<14])
                #expect(plaintext.bytes[15] == (low > 1 && high == 0 ? 1 : high))
            }
        }
    }

    @Test("takes any advert that begins with a zero byte", arguments: [0, 2, 255])
    func lenient(domain: UInt8) throws {
        let bytes = [UInt8](repeating: 0, count: 14) + [domain, 0]
        #expect(try LinkedAdvertPlaintext(bytes).bytes == bytes)
        #expect(refusal { _ = try LinkedAdvertPlaintext([1] + bytes.dropFirst()) } == .reservedByte)
        #expect(refusal { _ = try LinkedAdvertPlaintext(Array(bytes.dropFirst())) } == .wrongLength)
        #expect(refusal { _ = try LinkedAdvertPlaintext(random: bytes) } == .wrongLength)
    }
}

extension Pair {
    /// A session of both ends.
    init(_ ends: consuming LinkedSessionTests.LinkedEnds, _ plaintext: LinkedAdvertPlaintext) throws {
        let responder = try Responder(ends.woken, advert: plaintext)
        let initiator = try Initiator(ends.attempt, advert: plaintext, ephemeralKey: .generate())
        let message = initiator.message
        let connected = try responder.answer(message.span, ephemeralKey: .generate())
        let response = connected.response
        let waiting = try initiator.finish(response.span)
        let authenticator = try connected.sendFirstMessage(FirstMessage(getInfo: [0xa0]))
        let client = try waiting.readFirstMessage(authenticator.firstFrame)
        self.init(client: client, authenticator: authenticator)
    }
}
