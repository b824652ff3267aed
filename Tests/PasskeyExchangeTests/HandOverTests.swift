import Cryptography
import Encodings
import HybridProtocol
import PasskeyExchange
import Testing

/// The messages of a hand-over, and somebody between the two ends (PX-HOV-1 to PX-HOV-17, PX-HOV-24 to PX-HOV-27).
@Suite("A hand-over")
struct HandOverTests {
    private static func invitation(_ scheme: InvitationScheme) throws -> ClientInvitation {
        let secret = [UInt8](1...16)
        return try ClientInvitation(
            privateKey: .generate(), secret: SecretBytes(copying: secret.span),
            details: .init(timestamp: 1_700_000_000, hint: .getAssertion), of: scheme)
    }

    @Test("has a code that is refused where one of requests is wanted, and the other way round")
    func otherText() throws {
        let requests = try Self.invitation(.fido).invitation.url()
        let handOver = try Self.invitation(.handOver).invitation.url()
        #expect(throws: HybridProtocolError(.otherPurpose, reason: "")) { _ = try HandOverInvitation(url: requests) }
        #expect(throws: HybridProtocolError(.notFIDOURL, reason: "")) { _ = try Invitation(url: handOver) }
        _ = try HandOverInvitation(url: handOver.lowercased())
    }

    @Test("has no hint in its code (PX-HOV-1)")
    func noHint() throws {
        for scheme in [InvitationScheme.fido, .handOver] {
            let digits = Array(try Self.invitation(scheme).invitation.url().utf8.dropFirst(scheme.urlPrefix.count))
            let contents = try QRDigits.decode(digits.span)
            let map = try #require(CBORValue.decode(contents.span).mapValue)
            #expect((map[5] == nil) == (scheme == .handOver))
        }
    }

    /// Both ends after the handshake.
    private struct Ends: ~Copyable {
        var sender: HandOverSession
        var receiver: HandOverSession

        init() throws {
            let invitation = try HandOverTests.invitation(.handOver)
            let advert = try AdvertPlaintext(
                nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: RoutingID([1, 2, 3]),
                domain: .google)
            let scanned = try ApplicationInvitation(
                url: invitation.invitation.url(), scheme: .handOver
            ).intoInvitation()
            let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
            let message = initiator.message
            let connected = try Responder(scanned, advert: advert).answer(message.span, ephemeralKey: .generate())
            let response = connected.response
            receiver = try initiator.finish(response.span).exchange {
                HandOverState(role: .receiver, handshakeHash: $0)
            }
            sender = connected.exchange { HandOverState(role: .sender, handshakeHash: $0) }
        }

        /// Exchanges the numbers; the digits are typed at the sender as the receiver shows them, or others.
        mutating func greet(typing digits: String? = nil) throws {
            let nonce = randomBytes(count: ComparisonCode.nonceByteCount)
            let hello = receiver.codec.hello(committingTo: nonce)
            _ = try sender.open(receiver.seal(hello))
            let greeting = try sender.seal(.greeting(nonce: randomBytes(count: 32)))
            _ = try receiver.open(greeting)
            let shown = receiver.codec.code?.digits ?? ""
            let known = sender.codec.code
            #expect(known == nil)
            let typing = sender.codec.typing(digits ?? shown, nonce: HandOverTests.typed)
            let typed = try sender.seal(typing)
            _ = try receiver.open(typed)
            _ = try sender.open(receiver.seal(.reveal(nonce: nonce)))
        }

        /// The receiver's session is shown the digits that the sender's user has typed, and says who it is.
        mutating func identify(_ key: borrowing Ed25519.PrivateKey, signing statement: [UInt8]? = nil) throws {
            let opening = try sender.seal(.opening(nonce: HandOverTests.typed, name: "desktop"))
            _ = try receiver.open(opening)
            let own = receiver.codec.statement
            let signed = statement ?? own
            let proof = try key.sign(signed.span)
            let identity = HandOverMessage.identity(
                .init(receiver: HandOverReceiver(key: key.publicKey.bytes, name: "laptop"), proof: proof))
            _ = try sender.open(receiver.seal(identity))
        }
    }

    private static let typed = [UInt8](repeating: 4, count: 32)

    @Test("goes on to an offer only with the digits that the receiver shows, at either end")
    func digits() throws {
        let key = try Ed25519.PrivateKey.generate()
        var ends = try Ends()
        try ends.greet()
        try ends.identify(key)
        _ = try ends.receiver.open(ends.sender.seal(.offer(.init(mode: .copy, passkeys: []))))
        var others = try Ends()
        try others.greet(typing: "000000" == others.receiver.codec.code?.digits ? "000001" : "000000")
        // The sender's own end refuses to open the digits that its user has typed.
        #expect(throws: HybridProtocolError(.wrongDigits, reason: "")) {
            _ = try others.sender.seal(.opening(nonce: Self.typed, name: "desktop"))
        }
    }

    @Test("has a number that is the hash of the receiver's key, which no other key has")
    func number() throws {
        let one = try Ed25519.PrivateKey.generate()
        let other = try Ed25519.PrivateKey.generate()
        let receiver = HandOverReceiver(key: one.publicKey.bytes, name: "laptop")
        #expect(receiver.id == HandOverReceiver(key: one.publicKey.bytes, name: "desktop").id)
        #expect(receiver.id != HandOverReceiver(key: other.publicKey.bytes, name: "laptop").id)
        #expect(receiver.id.count == HandOverReceiver.idByteCount)
    }

    @Test("has the same six digits at both ends, and another hash in another session")
    func sameCode() throws {
        var ends = try Ends()
        var others = try Ends()
        let early = ends.sender.codec.code
        #expect(early == nil)
        try ends.greet()
        try others.greet()
        let (atSender, atReceiver, other) = (ends.sender.codec.code, ends.receiver.codec.code, others.sender.codec.code)
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
            _ = try ends.sender.seal(.greeting(nonce: [UInt8](repeating: 0, count: 32)))
        }
        #expect(throws: HybridProtocolError(.unexpectedMessage, reason: "")) { _ = try ends.receiver.seal(.settled) }
        let hello = HandOverMessage.hello(commitment: [UInt8](repeating: 1, count: 32))
        #expect(throws: HybridProtocolError(.unexpectedMessage, reason: "")) { _ = try ends.sender.seal(hello) }
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

    @Test("refuses each end's own messages from the other end, also in their turn")
    func otherEnd() throws {
        let hash = [UInt8](repeating: 3, count: 32)
        var sender = HandOverState(role: .sender, handshakeHash: hash)
        var receiver = HandOverState(role: .receiver, handshakeHash: hash)
        let nonce = [UInt8](repeating: 7, count: 32)
        let hello = HandOverMessage.hello(commitment: nonce).encoded()
        let greeting = HandOverMessage.greeting(nonce: nonce).encoded()
        let wrong = HybridProtocolError(.unexpectedMessage, reason: "")
        #expect(throws: wrong) { _ = try receiver.decode(hello.span) }
        _ = try sender.decode(hello.span)
        #expect(throws: wrong) { _ = try sender.decode(greeting.span) }
    }

    @Test("stops nothing that may be complete")
    func withheldStop() throws {
        var ends = try Ends()
        ends.sender.codec.withholdStop()
        #expect(throws: HybridProtocolError(.unexpectedMessage, reason: "")) {
            _ = try ends.sender.seal(.stopped(.failed))
        }
        let isOver = ends.sender.isOver
        #expect(!isOver)
    }

    @Test("takes nothing that was changed on the way, and no frame twice")
    func damaged() throws {
        var ends = try Ends()
        let hello = ends.receiver.codec.hello(committingTo: [UInt8](repeating: 7, count: 32))
        var frame = try ends.receiver.seal(hello)
        frame[3] ^= 1
        #expect(throws: HybridProtocolError(.badTag, reason: "")) { _ = try ends.sender.open(frame) }
        let isOver = ends.sender.isOver
        #expect(isOver)
    }

    @Test("finds its frame among the bytes of a channel that does not keep messages whole")
    func frames() throws {
        var ends = try Ends()
        let hello = ends.receiver.codec.hello(committingTo: [UInt8](repeating: 7, count: 32))
        let frame = try ends.receiver.seal(hello)
        let part = try ends.sender.openIfFrame(Array(frame.dropLast()))
        #expect(part == nil)
        guard case .hello(let received)? = try ends.sender.openIfFrame(frame) else {
            Issue.record("no hello")
            return
        }
        #expect(received == hello.encoded().suffix(32))
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
        #expect(InvitationScheme.isBeginning(ofAnyCode: "hybrid-handover:/12"))
        #expect(!InvitationScheme.isBeginning(ofAnyCode: "hybrid-"))
    }

    @Test("cuts a name at a whole character")
    func longName() {
        let name = String(repeating: "ä", count: 40)
        #expect(HandOverReceiver(key: [], name: name).name == String(repeating: "ä", count: 32))
    }
}
