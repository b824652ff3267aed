internal import Cryptography
internal import HybridProtocol
internal import PasskeyExchange

extension FuzzTarget {
    static let handOver = FuzzTarget(
        "hand-over", "messages and codes of a hand-over, and a peer that has shaken hands and says anything"
    ) { input in
        switch input.number(below: 3) {
        case 0: try message(input.rest())
        case 1: try code(input.rest())
        default: try session(&input)
        }
    }

    /// Checks that a message is written as it was read: nothing is passed over.
    private static func message(_ bytes: [UInt8]) throws {
        guard let message = try? HandOverMessage(decoding: bytes.span) else { return }
        expect(message.encoded() == bytes, "a message changes when read and written")
        if case .offer(let offer) = message {
            expect(
                offer.passkeys.count <= HandOverOffer.maxCount
                    && offer.inTransit.count <= HandOverOffer.maxInTransitCount,
                "an offer of more than may be offered")
        }
    }

    private static func code(_ bytes: [UInt8]) throws {
        let text = InvitationScheme.handOver.urlPrefix + QRDigits.encode(bytes.span)
        guard let handOver = try? ApplicationInvitation(url: text, scheme: .handOver).intoInvitation() else { return }
        expect((try? Invitation(url: text)) == nil, "a hand-over's code is read as a client's")
        let requests = try Invitation(url: Invitation.urlPrefix + QRDigits.encode(bytes.span))
        expect(try handOver.tunnelID() != requests.tunnelID(), "both kinds of session have one tunnel")
    }

    private static func session(_ input: inout FuzzInput) throws {
        let key = [UInt8](repeating: 3, count: P256.scalarByteCount)
        let secret = [UInt8](repeating: 5, count: Invitation.secretByteCount)
        let advert = try AdvertPlaintext([UInt8](repeating: 0, count: AdvertPlaintext.byteCount))
        let invitation = try ClientInvitation(
            privateKey: P256.PrivateKey(scalar: key.span), secret: SecretBytes(copying: secret.span),
            details: .init(timestamp: nil, hint: .getAssertion), of: .handOver)
        let scanned = try ApplicationInvitation(url: invitation.invitation.url(), scheme: .handOver).intoInvitation()
        let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
        let first = initiator.message
        let connected = try Responder(scanned, advert: advert).answer(first.span, ephemeralKey: .generate())
        let response = connected.response
        var sender = connected.exchange { HandOverState(role: .sender, handshakeHash: $0) }
        var receiver = try initiator.finish(response.span).exchange {
            HandOverState(role: .receiver, handshakeHash: $0)
        }
        while !input.isEmpty {
            guard let message = try? HandOverMessage(decoding: input.counted(atMost: 255).span) else { continue }
            let isSenders = input.bool()
            let wasOver = sender.isOver
            let sealed = isSenders ? try? sender.seal(message) : try? receiver.seal(message)
            guard var frame = sealed else {
                // A refused message has changed nothing, unless it opens another number, or proves nothing.
                switch message {
                case .reveal, .opening, .identity: return
                default: continue
                }
            }
            expect(!wasOver, "a message is sealed after the end")
            let isAltered = input.number(below: 8) == 0 && input.alter(&frame)
            let opened = isSenders ? try? receiver.open(frame) : try? sender.open(frame)
            expect(!isAltered || opened == nil, "an altered frame is taken")
            guard let opened else { return }
            expect(opened.encoded() == message.encoded(), "a message changes on its way")
            expect(sender.codec.code == receiver.codec.code, "the ends have other digits")
            expect(sender.isOver == receiver.isOver, "only one end is over")
        }
    }
}
