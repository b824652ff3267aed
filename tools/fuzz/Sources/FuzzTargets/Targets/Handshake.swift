internal import Cryptography
internal import HybridProtocol

extension FuzzTarget {
    static let handshake = FuzzTarget(
        "handshake", "both roles: bare bytes, and a real peer's message altered", maxByteCount: 512
    ) { input in
        let invitation = try Inputs.clientInvitation()
        let advert = try Inputs.advert()
        let responder = try Responder(Invitation(url: invitation.invitation.url()), advert: advert)
        let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
        let original = initiator.message
        let toResponder = input.bool()
        let toInitiator = input.bool()
        let isBare = input.bool()

        var message = isBare && toResponder ? input.rest() : original
        if toResponder { _ = input.alter(&message) }
        // Another encoding of the same point is not one that we read, and every byte is hashed.
        guard let connected = try? responder.answer(message.span, ephemeralKey: .generate()) else {
            expect(message != original, "a responder refuses its peer's message")
            return
        }
        expect(message == original, "a responder takes an altered message")

        let answer = connected.response
        var response = isBare && toInitiator ? input.rest() : answer
        if toInitiator { _ = input.alter(&response) }
        let hash = connected.handshakeHash
        guard let client = try? initiator.finish(response.span) else {
            expect(response != answer, "an initiator refuses its peer's message")
            return
        }
        expect(response == answer, "an initiator takes an altered message")
        expect(client.handshakeHash == hash, "the two ends disagree on the session")
    }
}
