import Cryptography
import HybridProtocol
import Testing

/// The sessions of both ends against each other (the article Messages).
@Suite("A session")
struct SessionTests {
    @Test("carries what the authenticator said first to the client")
    func firstMessage() throws {
        let pair = try Pair()
        #expect(pair.client.firstMessage.getInfo == Inputs.getInfo)
        #expect(pair.client.firstMessage.revision == .typed)
    }

    @Test("gives both ends the same handshake hash, and every session another")
    func handshakeHash() throws {
        var hashes: Set<[UInt8]> = []
        for _ in 0..<2 {
            let invitation = try Inputs.clientInvitation()
            let advert = try Inputs.advert()
            let responder = try Responder(Invitation(url: invitation.invitation.url()), advert: advert)
            let initiator = try Initiator(invitation, advert: advert, ephemeralKey: .generate())
            let message = initiator.message
            let connected = try responder.answer(message.span, ephemeralKey: .generate())
            let response = connected.response
            let waiting = try initiator.finish(response.span)
            let hash = waiting.handshakeHash
            let same = hash == connected.handshakeHash
            #expect(same)
            #expect(hash.count == 32)
            hashes.insert(hash)
        }
        #expect(hashes.count == 2)
    }

    @Test("has the handshake hash that its handshake had, at both ends")
    func handshakeHashOfSession() throws {
        let pair = try Pair()
        let (client, authenticator) = (pair.client.handshakeHash, pair.authenticator.handshakeHash)
        #expect(client == authenticator)
        #expect(client.count == 32)
    }

    @Test("carries request and answer, again and again")
    func manyRequests() throws {
        var pair = try Pair()
        for number in 0..<300 {
            let request = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number + 1)
            let asked = try pair.authenticator.open(pair.client.sealRequest(.ctap(request)))
            #expect(asked == .request(.ctap(request)))
            let answered = try pair.client.open(pair.authenticator.sealResponse(.ctap(request.reversed())))
            #expect(answered == .response(.ctap(request.reversed())))
        }
    }

    @Test("carries JSON where the authenticator offers digital credentials")
    func json() throws {
        var pair = try Pair(features: [.ctap, .digitalCredentials])
        let asked = try pair.authenticator.open(pair.client.sealRequest(.json(#"{"frage":"ä"}"#)))
        #expect(asked == .request(.json(#"{"frage":"ä"}"#)))
        let answered = try pair.client.open(pair.authenticator.sealResponse(.json("{}")))
        #expect(answered == .response(.json("{}")))
    }

    @Test("without CTAP carries no CTAP, and without digital credentials no JSON")
    func features() throws {
        var credentials = try Pair(features: [.digitalCredentials])
        #expect(refusal { _ = try credentials.client.sealRequest(.ctap([4])) } == .unexpectedMessage)
        var plain = try Pair()
        #expect(refusal { _ = try plain.client.sealRequest(.json("{}")) } == .unexpectedMessage)
    }

    @Test("has one request at a time, and goes on after the refused one")
    func oneRequest() throws {
        var pair = try Pair()
        let frame = try pair.client.sealRequest(.ctap([1]))
        #expect(refusal { _ = try pair.client.sealRequest(.ctap([2])) } == .unexpectedMessage)
        _ = try pair.authenticator.open(frame)
        let answer = try pair.client.open(pair.authenticator.sealResponse(.ctap([0])))
        #expect(answer == .response(.ctap([0])))
    }

    @Test("has no answer without a request, and none twice")
    func answerWithoutRequest() throws {
        var pair = try Pair()
        #expect(refusal { _ = try pair.authenticator.sealResponse(.ctap([0])) } == .unexpectedMessage)
        _ = try pair.authenticator.open(pair.client.sealRequest(.ctap([4])))
        _ = try pair.authenticator.sealResponse(.ctap([0]))
        #expect(refusal { _ = try pair.authenticator.sealResponse(.ctap([0])) } == .unexpectedMessage)
    }

    @Test("has answers of the request's own type only")
    func answerType() throws {
        var pair = try Pair(features: [.ctap, .digitalCredentials])
        _ = try pair.authenticator.open(pair.client.sealRequest(.ctap([4])))
        #expect(refusal { _ = try pair.authenticator.sealResponse(.json("{}")) } == .unexpectedMessage)
    }

    @Test("refuses to seal what is empty or too long, and is none the worse for it")
    func badLengths() throws {
        var pair = try Pair()
        let tooLong = [UInt8](repeating: 1, count: SecureChannel.maximumMessageByteCount)
        #expect(refusal { _ = try pair.client.sealRequest(.ctap([])) } == .empty)
        #expect(refusal { _ = try pair.client.sealRequest(.ctap(tooLong)) } == .tooLong)
        let longest = Array(tooLong.dropLast())
        let asked = try pair.authenticator.open(pair.client.sealRequest(.ctap(longest)))
        #expect(asked == .request(.ctap(longest)))
        #expect(refusal { _ = try pair.authenticator.sealResponse(.ctap([])) } == .empty)
        #expect(refusal { _ = try pair.authenticator.sealResponse(.ctap(tooLong)) } == .tooLong)
        let answered = try pair.client.open(pair.authenticator.sealResponse(.ctap(longest)))
        #expect(answered == .response(.ctap(longest)))
    }

    @Test("ends for both ends with the client's shutdown")
    func shutdown() throws {
        var pair = try Pair()
        let frame = try #require(try pair.client.sealShutdown())
        let event = try pair.authenticator.open(frame)
        #expect(event == .shutdown)
        #expect(refusal { _ = try pair.client.sealShutdown() } == .sessionEnded)
        #expect(refusal { _ = try pair.client.sealRequest(.ctap([4])) } == .sessionEnded)
        #expect(refusal { _ = try pair.authenticator.open(frame) } == .sessionEnded)
        #expect(refusal { _ = try pair.authenticator.sealResponse(.ctap([0])) } == .sessionEnded)
    }

    @Test("lets an answer that crossed the client's shutdown still be read")
    func lateAnswer() throws {
        var pair = try Pair()
        _ = try pair.authenticator.open(pair.client.sealRequest(.ctap([4])))
        _ = try pair.client.sealShutdown()
        let late = try pair.client.open(pair.authenticator.sealResponse(.ctap([0])))
        #expect(late == .response(.ctap([0])))
    }

    @Test("ends with the first frame that is wrong", arguments: [0, 20, -1])
    func firstErrorEnds(flipped: Int) throws {
        var pair = try Pair()
        let request = try pair.client.sealRequest(.ctap([4]))
        var changed = request
        changed[flipped < 0 ? changed.count - 1 : flipped] ^= 1
        #expect(refusal { _ = try pair.authenticator.open(changed) } == .badTag)
        #expect(refusal { _ = try pair.authenticator.open(request) } == .sessionEnded)
    }

    @Test("takes no frame twice, none out of turn, and none of its own")
    func replay() throws {
        var replayed = try Pair()
        let first = try replayed.client.sealRequest(.ctap([4]))
        _ = try replayed.authenticator.open(first)
        _ = try replayed.client.open(replayed.authenticator.sealResponse(.ctap([0])))
        #expect(refusal { _ = try replayed.authenticator.open(first) } == .badTag)

        var skipped = try Pair()
        _ = try skipped.client.sealRequest(.ctap([4]))
        let second = try #require(try skipped.client.sealShutdown())
        #expect(refusal { _ = try skipped.authenticator.open(second) } == .badTag)

        var reflected = try Pair()
        let own = try reflected.client.sealRequest(.ctap([4]))
        #expect(refusal { _ = try reflected.client.open(own) } == .badTag)
    }

    @Test("takes no frame of another session")
    func foreignFrame() throws {
        var one = try Pair()
        var other = try Pair()
        let frame = try one.client.sealRequest(.ctap([4]))
        #expect(refusal { _ = try other.authenticator.open(frame) } == .badTag)
    }

    @Test("refuses every truncation and every flipped bit of a frame")
    func damagedFrames() throws {
        let frame = try Pair().clientFrame([4])
        for byteCount in 0..<frame.count {
            var alone = try AuthenticatorAlone()
            let whole = try alone.sealer.seal([1, 4])
            let code = refusal { _ = try alone.authenticator.open(Array(whole.prefix(byteCount))) }
            #expect(code == (byteCount < 16 ? .tooShort : .badTag))
        }
        for bit in 0..<frame.count * 8 {
            var alone = try AuthenticatorAlone()
            var changed = try alone.sealer.seal([1, 4])
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(refusal { _ = try alone.authenticator.open(changed) } == .badTag)
        }
    }

    @Test("carries 10,000 random messages, each a multiple of 32 bytes and a tag on the way")
    func randomMessages() throws {
        var pair = try Pair()
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let request = randomMessage(&random)
            let frame = try pair.client.sealRequest(.ctap(request))
            #expect(frame.count % 32 == 16 && frame.count > request.count + 17)
            let asked = try pair.authenticator.open(frame)
            #expect(asked == .request(.ctap(request)))
            let response = randomMessage(&random)
            let answered = try pair.client.open(pair.authenticator.sealResponse(.ctap(response)))
            #expect(answered == .response(.ctap(response)))
        }
    }

    private func randomMessage(_ random: inout SystemRandomNumberGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...400, using: &random)).map { _ in .random(in: 0...255, using: &random) }
    }
}

extension Pair {
    consuming func clientFrame(_ request: [UInt8]) throws -> [UInt8] { try client.sealRequest(.ctap(request)) }
}
