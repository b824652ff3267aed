import Cryptography
import HybridProtocol
import Testing

/// A message that was changed on its way is refused by name, whatever was changed, and nothing crashes.
@Suite("Damaged messages") struct SessionDamageTests {
    @Test("there are sessions to damage")
    func sessionsAreThere() {
        #expect(DamagedSession.recorded.count == 3)
        #expect(DamagedSession.clients.count == 3)
        #expect(DamagedSession.recorded.allSatisfy { $0.frames.count == 4 })
    }

    @Test("message 1 of a recorded session, cut anywhere or with any bit flipped", arguments: DamagedSession.recorded)
    func messageOne(_ session: DamagedSession) throws {
        let message = session.bytes("message_1")
        #expect(try session.answered(message).response.count == handshakeMessageByteCount)
        expectHandshakeRefusals(of: message) { _ = try session.answered($0) }
    }

    @Test("message 2, cut anywhere or with any bit flipped", arguments: DamagedSession.clients)
    func messageTwo(_ session: DamagedSession) throws {
        let message = session.bytes("message_2")
        #expect(try session.joined(message).handshakeHash.count == 32)
        expectHandshakeRefusals(of: message) { _ = try session.joined($0) }
    }

    @Test("every frame of a recorded client, cut anywhere or with any bit flipped", arguments: DamagedSession.recorded)
    func framesFromClient(_ session: DamagedSession) throws {
        for (index, frame) in session.frames.enumerated() where frame.isReceived {
            _ = try session.authenticator(frame: index, replacedBy: frame.bytes)
            expectFrameRefusals(of: frame.bytes) { _ = try session.authenticator(frame: index, replacedBy: $0) }
        }
    }

    @Test("every frame of an authenticator, cut anywhere or with any bit flipped", arguments: DamagedSession.clients)
    func framesFromAuthenticator(_ session: DamagedSession) throws {
        for (index, frame) in session.frames.enumerated() where frame.isReceived {
            try session.client(frame: index, replacedBy: frame.bytes)
            expectFrameRefusals(of: frame.bytes) { try session.client(frame: index, replacedBy: $0) }
        }
    }

    @Test("an advert, cut anywhere or with any bit flipped", arguments: DamagedSession.clients)
    func adverts(_ session: DamagedSession) throws {
        let (eidSecret, advert) = (session.bytes("secret"), session.bytes("advert"))
        let eidKey = KeySchedule.derive(.eidKey, from: eidSecret.span, byteCount: AdvertKey.byteCount)
        var key = try AdvertKey(eidKey: eidKey.span)
        for short in Damage.truncations(advert) {
            #expect(throws: HybridProtocolError(.tooShort, reason: "")) { try key.open(short.span) }
        }
        for (_, flipped) in Damage.bitFlips(advert) {
            #expect(throws: HybridProtocolError(.badTag, reason: "")) { try key.open(flipped.span) }
        }
        #expect(try key.open(advert.span).plaintext.bytes.count == AdvertPlaintext.byteCount)
    }

    @Test("the text of a QR code, cut anywhere", arguments: DamagedSession.recorded)
    func cutTexts(_ session: DamagedSession) {
        let text = Array(session.text("url").utf8)
        for short in Damage.truncations(text) {
            let kind = refusal { _ = try Invitation(url: String(decoding: short, as: UTF8.self)) }
            let possible: Set<HybridProtocolError.Code> =
                short.count < Invitation.urlPrefix.utf8.count
                ? [.notFIDOURL] : [.digitCount, .digitRange, .invalidCBOR]
            #expect(kind.map(possible.contains) == true, "cut to \(short.count): \(String(describing: kind))")
        }
    }

    @Test("the text of a QR code with any bit flipped is refused, or invites to another session or by another word")
    func flippedTexts() throws {
        for session in DamagedSession.recorded {
            let text = session.text("url")
            let original = try Invitation(url: text).encodedCBOR()
            for (index, flipped) in Damage.bitFlips(Array(text.utf8)) {
                let changed = String(decoding: flipped, as: UTF8.self)
                let isOtherCase = changed.uppercased() == text
                let contents = try? Invitation(url: changed).encodedCBOR()
                #expect((contents == original) == isOtherCase, "byte \(index)")
            }
        }
    }

    @Test("a frame of one session is refused in another", arguments: DamagedSession.recorded)
    func foreignFrames(_ session: DamagedSession) {
        for other in DamagedSession.recorded where other.description != session.description {
            for (index, frame) in other.frames.enumerated() where frame.isReceived {
                let kind = refusal { _ = try session.authenticator(frame: 1, replacedBy: frame.bytes) }
                #expect(kind == .badTag, "frame \(index) of \(other)")
            }
        }
    }

    @Test("a QR code of 10 MB is refused without being read", .timeLimit(.minutes(1)))
    func hugeText() {
        let text = Invitation.urlPrefix + String(repeating: "0", count: 10 << 20)
        let spent = ContinuousClock().measure {
            #expect(refusal { _ = try Invitation(url: text) } == .tooLong)
        }
        #expect(spent < .seconds(5))
    }

    private func expectHandshakeRefusals(of message: [UInt8], _ body: ([UInt8]) throws -> Void) {
        for short in Damage.truncations(message) {
            #expect(refusal { try body(short) } == .wrongLength, "cut to \(short.count)")
        }
        #expect(refusal { try body(message + [0]) } == .wrongLength)
        for (byte, flipped) in Damage.bitFlips(message) {
            let expected: HybridProtocolError.Code = byte < Damage.pointByteCount ? .invalidPoint : .badTag
            #expect(refusal { try body(flipped) } == expected, "byte \(byte)")
        }
    }

    private func expectFrameRefusals(of frame: [UInt8], _ body: ([UInt8]) throws -> Void) {
        for short in Damage.truncations(frame) {
            let expected: HybridProtocolError.Code = short.count < Damage.tagByteCount ? .tooShort : .badTag
            #expect(refusal { try body(short) } == expected, "cut to \(short.count)")
        }
        #expect(refusal { try body(frame + [0]) } == .badTag)
        for (byte, flipped) in Damage.bitFlips(frame) {
            #expect(refusal { try body(flipped) } == .badTag, "byte \(byte)")
        }
    }

    /// The code of the protocol error that something ends with; nil if it succeeds or fails otherwise.
    private func refusal(_ body: () throws -> Void) -> HybridProtocolError.Code? {
        do { try body() } catch { return (error as? HybridProtocolError)?.code }
        return nil
    }
}
