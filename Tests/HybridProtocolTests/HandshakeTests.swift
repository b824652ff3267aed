import Cryptography
import HybridProtocol
import Testing

/// The two sides of the handshake (HT-HS-12 to HT-HS-23).
@Suite("A handshake")
struct HandshakeTests {
    @Test("fails at message 1 if the client heard another advert, so that a relay far away gets nowhere")
    func otherAdvert() throws {
        let invitation = try Inputs.clientInvitation()
        let responder = try Responder(Invitation(url: invitation.invitation.url()), advert: Inputs.advert())
        let initiator = try Initiator(invitation, advert: Inputs.advert(), ephemeralKey: .generate())
        let message = initiator.message
        #expect(responder.refusal(of: message) == .badTag)
    }

    @Test("fails at message 1 if the client showed another key")
    func otherKey() throws {
        let advert = try Inputs.advert()
        let shown = try Inputs.clientInvitation()
        let responder = try Responder(Invitation(url: shown.invitation.url()), advert: advert)
        let initiator = try Initiator(Inputs.clientInvitation(), advert: advert, ephemeralKey: .generate())
        let message = initiator.message
        #expect(responder.refusal(of: message) == .badTag)
    }

    @Test("refuses every truncation, a longer message, and every flipped bit of message 1")
    func damagedMessage1() throws {
        let advert = try Inputs.advert()
        let invitation = try Inputs.clientInvitation()
        let url = invitation.invitation.url()
        let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
        let message = initiator.message
        func code(_ message: [UInt8]) throws -> HybridProtocolError.Code? {
            let responder = try Responder(Invitation(url: url), advert: advert)
            return responder.refusal(of: message)
        }
        #expect(message.count == handshakeMessageByteCount)
        for byteCount in 0..<message.count { #expect(try code(Array(message.prefix(byteCount))) == .wrongLength) }
        #expect(try code(message + [0]) == .wrongLength)
        for bit in 0..<message.count * 8 {
            var changed = message
            changed[bit / 8] ^= 1 << (bit % 8)
            let refused = try code(changed)
            #expect(refused == (bit / 8 < P256.uncompressedByteCount ? .invalidPoint : .badTag), "bit \(bit)")
        }
    }

    @Test("refuses a message 2 of any length but 81 bytes", arguments: [0, 80, 82, 1_000])
    func wrongLengthOfMessage2(byteCount: Int) throws {
        let initiator = try Initiator(Inputs.clientInvitation(), advert: Inputs.advert(), ephemeralKey: .generate())
        let code = initiator.refusal(of: [UInt8](repeating: 4, count: byteCount))
        #expect(code == .wrongLength)
    }

    @Test("refuses its own message 1 as message 2")
    func reflection() throws {
        let initiator = try Initiator(Inputs.clientInvitation(), advert: Inputs.advert(), ephemeralKey: .generate())
        let message = initiator.message
        #expect(initiator.refusal(of: message) == .badTag)
    }

    @Test("refuses a replayed message 2 of another handshake over the same invitation's secret")
    func replayedMessage2() throws {
        let advert = try Inputs.advert()
        let recorded = try Inputs.clientInvitation()
        let responder = try Responder(Invitation(url: recorded.invitation.url()), advert: advert)
        let first = try Initiator(recorded, advert: advert, ephemeralKey: .generate())
        let message = first.message
        let answered = try responder.answer(message.span, ephemeralKey: .generate())
        let second = try Initiator(Inputs.clientInvitation(), advert: advert, ephemeralKey: .generate())
        #expect(second.refusal(of: answered.response) == .badTag)
    }
}

extension Responder {
    consuming func refusal(of message: [UInt8]) -> HybridProtocolError.Code? {
        do {
            _ = try answer(message.span, ephemeralKey: .generate())
        } catch {
            return (error as? HybridProtocolError)?.code
        }
        return nil
    }
}

extension Initiator {
    consuming func refusal(of response: [UInt8]) -> HybridProtocolError.Code? {
        do { _ = try finish(response.span) } catch { return error.code }
        return nil
    }
}
