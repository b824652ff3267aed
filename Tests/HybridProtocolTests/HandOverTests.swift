import Cryptography
import HybridProtocol
import Testing

/// A hand-over against a session of requests, and against somebody between the two ends (HT-HOV-1 to HT-HOV-12).
@Suite("A hand-over")
struct HandOverTests {
    private static func invitation(
        for purpose: InvitationPurpose, _ privateKey: consuming P256.PrivateKey
    ) throws -> ClientInvitation {
        let secret = Inputs.secret
        return try ClientInvitation(
            privateKey: privateKey, secret: SecretBytes(copying: secret.span), details: .plain, for: purpose)
    }

    @Test("shares no key with a session of requests of the same QR secret")
    func otherKeys() throws {
        let key = try P256.PrivateKey.generate()
        let requests = try Self.invitation(for: .requests, key.clone())
        let handOver = try Self.invitation(for: .handOver, key)
        #expect(try requests.invitation.tunnelID() != handOver.invitation.tunnelID())
        var sealing = try requests.invitation.advertKey()
        var opening = try handOver.invitation.advertKey()
        let advert = try sealing.seal(Inputs.advert())
        #expect(throws: HybridProtocolError(.badTag, reason: "")) { _ = try opening.open(advert.span) }
    }

    @Test("completes no handshake with a session of requests, even of the same session secret")
    func otherPrologue() throws {
        let key = try P256.PrivateKey.generate()
        let advert = try Inputs.advert()
        let handOver = try Self.invitation(for: .handOver, key.clone())
        // A client whose QR secret is the hand-over's session secret has the same pre-shared key.
        let secret = Inputs.secret
        let session = try InvitationPurpose.handOver.sessionSecret(of: SecretBytes(copying: secret.span))
        let requests = try ClientInvitation(privateKey: key, secret: session, details: .plain)
        #expect(try requests.invitation.tunnelID() == handOver.invitation.tunnelID())
        let responder = try Responder(Invitation(url: requests.invitation.url()), advert: advert)
        let message = try Initiator(handOver, advert: advert, ephemeralKey: .generate()).message
        #expect(responder.refusal(of: message) == .badTag)
    }

    @Test("has a code that is refused where one of requests is wanted, and the other way round")
    func otherText() throws {
        let requests = try Self.invitation(for: .requests, .generate()).invitation.url()
        let handOver = try Self.invitation(for: .handOver, .generate()).invitation.url()
        #expect(throws: HybridProtocolError(.otherPurpose, reason: "")) { _ = try HandOverInvitation(url: requests) }
        #expect(throws: HybridProtocolError(.otherPurpose, reason: "")) { _ = try Invitation(url: handOver) }
        _ = try HandOverInvitation(url: handOver.lowercased())
    }

    /// Both ends after the handshake.
    private struct Ends: ~Copyable {
        var sender: HandOverSession
        var receiver: HandOverSession

        init() throws {
            let invitation = try HandOverTests.invitation(for: .handOver, .generate())
            let advert = try Inputs.advert()
            let scanned = try HandOverInvitation(url: invitation.invitation.url()).intoInvitation()
            let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
            let message = initiator.message
            let connected = try Responder(scanned, advert: advert).answer(message.span, ephemeralKey: .generate())
            let response = connected.response
            receiver = try initiator.finish(response.span).handOver()
            sender = connected.handOver()
        }

        /// Exchanges the numbers.
        mutating func greet() throws {
            let nonce = try randomBytes(count: ComparisonCode.nonceByteCount)
            let hello = HandOverMessage.Hello(
                commitment: try receiver.commitment(to: nonce),
                receiver: HandOverReceiver(id: [UInt8](repeating: 1, count: 16), name: "laptop"))
            _ = try sender.open(receiver.seal(.hello(hello)))
            let greeting = try sender.seal(.greeting(nonce: randomBytes(count: 32), name: "desktop"))
            _ = try receiver.open(greeting)
            _ = try sender.open(receiver.seal(.reveal(nonce: nonce)))
        }
    }

    @Test("has the same six digits at both ends, and another hash in another session")
    func sameCode() throws {
        var ends = try Ends()
        var others = try Ends()
        let early = ends.sender.code
        #expect(early == nil)
        try ends.greet()
        try others.greet()
        let (atSender, atReceiver, other) = (ends.sender.code, ends.receiver.code, others.sender.code)
        let code = try #require(atSender)
        #expect(atReceiver == code)
        #expect(code.digits.count == 6 && code.digits.allSatisfy(\.isWholeNumber))
        // Equal by chance once in a million: so the hash is looked at too.
        let (hash, otherHash) = (ends.sender.handshakeHash, others.sender.handshakeHash)
        #expect(hash != otherHash)
        #expect(other != nil)
    }

    @Test("refuses a message of the wrong end or out of turn, and leaves our own session as it was")
    func outOfTurn() throws {
        var ends = try Ends()
        #expect(throws: HybridProtocolError(.unexpectedMessage, reason: "")) {
            _ = try ends.sender.seal(.greeting(nonce: [UInt8](repeating: 0, count: 32), name: ""))
        }
        #expect(throws: HybridProtocolError(.unexpectedMessage, reason: "")) { _ = try ends.receiver.seal(.settled) }
        try ends.greet()
        let stop = try ends.sender.seal(.stopped(.declined))
        let isOver = ends.sender.isOver
        #expect(isOver)
        guard case .stopped(.declined) = try ends.receiver.open(stop) else {
            Issue.record("not a stop")
            return
        }
        #expect(throws: HybridProtocolError(.sessionEnded, reason: "")) { _ = try ends.receiver.open(stop) }
    }

    @Test("takes nothing that was changed on the way, and no frame twice")
    func damaged() throws {
        var ends = try Ends()
        let nonce = [UInt8](repeating: 7, count: 32)
        let hello = HandOverMessage.Hello(
            commitment: try ends.receiver.commitment(to: nonce),
            receiver: HandOverReceiver(id: [UInt8](repeating: 1, count: 16), name: "laptop"))
        var frame = try ends.receiver.seal(.hello(hello))
        frame[3] ^= 1
        #expect(throws: HybridProtocolError(.badTag, reason: "")) { _ = try ends.sender.open(frame) }
        let isOver = ends.sender.isOver
        #expect(isOver)
    }

    @Test("finds its frame among the bytes of a channel that does not keep messages whole")
    func frames() throws {
        var ends = try Ends()
        let hello = HandOverMessage.Hello(
            commitment: try ends.receiver.commitment(to: [UInt8](repeating: 7, count: 32)),
            receiver: HandOverReceiver(id: [UInt8](repeating: 1, count: 16), name: "laptop"))
        let frame = try ends.receiver.seal(.hello(hello))
        let part = try ends.sender.openIfFrame(Array(frame.dropLast()))
        #expect(part == nil)
        guard case .hello(let received)? = try ends.sender.openIfFrame(frame) else {
            Issue.record("no hello")
            return
        }
        #expect(received.commitment == hello.commitment)
        let stop = try ends.receiver.seal(.stopped(.declined))
        guard case .stopped? = try ends.sender.openIfFrame(stop) else {
            Issue.record("no stop")
            return
        }
        #expect(throws: HybridProtocolError(.sessionEnded, reason: "")) { _ = try ends.sender.openIfFrame(frame) }
    }

    @Test("refuses what is longer than any message, and knows which outcomes leave a passkey there")
    func bounds() {
        let long = [HandOverMessage.Kind.stopped.rawValue] + [UInt8](repeating: 0, count: 1 << 18 + 1)
        #expect(throws: HybridProtocolError(.tooLong, reason: "")) { _ = try HandOverMessage(decoding: long.span) }
        #expect(HandOverOutcome.allCases.filter(\.isHeld) == [.kept, .held])
        #expect(InvitationPurpose.isBeginning(ofAny: "hybrid-handover:/12"))
        #expect(!InvitationPurpose.isBeginning(ofAny: "hybrid-"))
    }

    @Test("cuts a name at a whole character")
    func longName() {
        let name = String(repeating: "ä", count: 40)
        #expect(HandOverReceiver(id: [], name: name).name == String(repeating: "ä", count: 32))
    }
}
