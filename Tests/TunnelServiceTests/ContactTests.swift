import Encodings
import HybridProtocol
import Testing

@testable import TunnelService

@Suite("A client's contact")
struct ContactTests {
    /// Lets a client ask, and gives it when its request is under way.
    private func client(_ service: RunningTunnelService, _ handshake: Handshake) async throws -> RawPeer {
        let peer = try await RawPeer.connect(service.port)
        try await peer.send(handshake.text)
        return peer
    }

    /// The answer to a request that is refused.
    private func refusal(_ service: RunningTunnelService, _ handshake: Handshake) async throws -> Answer {
        let peer = try await client(service, handshake)
        let answer = try await peer.lastAnswer()
        await peer.close()
        return answer
    }

    @Test(
        "wakes the authenticator, signals that it has joined, and then is a tunnel like any other",
        arguments: [true, false])
    func wholeWay(signal: Bool) async throws {
        try await withContactService { service in
            let listener = try await ContactPeer.listening(service.port, labels: [7])
            let client = try await client(service, .contact(listener.contactIDs[0], signal: signal))
            let wake = try await listener.wakeAcknowledged()
            #expect(wake.contactID == listener.contactIDs[0])
            #expect(Hexadecimal.encode(wake.clientPayload) == Handshake.payload)
            #expect(Hexadecimal.encode(wake.routingID) == Handshake.routingID)
            let answer = try await client.answerHead()
            #expect(answer.status == 101)
            #expect(answer["X-caBLE-Signal-Connection"] == (signal ? ["true"] : []))
            #expect(answer["X-caBLE-Routing-ID"].isEmpty)
            // Before the authenticator is there: kept for it, as always.
            try await client.send(WireFrame(payload: [1]))
            let authenticator = try await RawPeer.connect(service.port)
            #expect(try await authenticator.shake(wake.join).status == 101)
            if signal { #expect(try await client.message() == [0]) }
            #expect(try await authenticator.message() == [1])
            try await authenticator.send(WireFrame(payload: [2]))
            #expect(try await client.message() == [2])
            for peer in [client, authenticator, listener.peer] { await peer.close() }
        }
    }

    @Test(
        "needs one payload in hexadecimal",
        arguments: [
            [], [""], ["a"], ["a1g2"], ["+a1b"], [Handshake.payload, Handshake.payload],
            [String(repeating: "0", count: 514)],
        ])
    func payloads(values: [String]) async throws {
        try await withContactService { service in
            let listener = try await ContactPeer.listening(service.port)
            var handshake = Handshake.contact(listener.contactIDs[0]).with("X-caBLE-Client-Payload", nil)
            handshake.headers += values.map { ("X-Cable-Client-Payload", $0) }
            #expect(try await refusal(service, handshake).status == 400)
            await listener.close()
        }
    }

    @Test("may have a payload in upper case, and of 256 bytes")
    func longestPayload() async throws {
        try await withContactService { service in
            let listener = try await ContactPeer.listening(service.port)
            let payload = String(repeating: "AB", count: 256)
            let client = try await client(
                service, .contact(listener.contactIDs[0]).with("X-caBLE-Client-Payload", payload))
            #expect(try await listener.wakeAcknowledged().clientPayload == [UInt8](repeating: 0xAB, count: 256))
            #expect(try await client.answerHead().status == 101)
            await client.close()
            await listener.close()
        }
    }

    @Test("that this service has not issued is gone", arguments: [1, 40, 41, 42, 4096])
    func unknown(byteCount: Int) async throws {
        try await withContactService { service in
            let answer = try await refusal(service, .contact([UInt8](repeating: 1, count: byteCount)))
            #expect(answer.status == 410)
        }
    }

    @Test("that is not base64url is malformed", arguments: ["", "A", "AA==", "A+", "AB", "AAAA?", "AAAA/"])
    func malformed(text: String) async throws {
        try await withContactService { service in
            let handshake = Handshake.contact([1])
            var changed = handshake
            changed.path = TunnelPath.contactPrefix + text
            let answer = try await refusal(service, changed)
            #expect(answer.status == 400)
        }
    }

    @Test("of a label that the connected authenticator does not list is gone; listed again, it wakes again")
    func revoked() async throws {
        try await withContactService { service in
            let listener = try await ContactPeer.listening(service.port, labels: [1, 2])
            let contactID = listener.contactIDs[0]
            try await listener.register([2])
            #expect(try await refusal(service, .contact(contactID)).status == 410)
            try await listener.register([1, 2])
            let client = try await client(service, .contact(contactID))
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            await client.close()
            await listener.close()
        }
    }

    @Test("whose authenticator is not connected waits, and is then told to come again")
    func unreachable() async throws {
        try await withContactService(limits: .generous { $0.contactHold = .seconds(1) }) { service in
            let listener = try await ContactPeer.listening(service.port)
            await listener.close()
            try await until { service.listenerCount == 0 }
            let started = ContinuousClock.now
            let answer = try await refusal(service, .contact(listener.contactIDs[0]))
            #expect(answer.status == 503)
            #expect(answer["Retry-After"] == ["10"])
            #expect(ContinuousClock.now - started >= .seconds(1))
            #expect(service.waitingContactCount == 0)
            #expect(service.pendingTunnelCount == 0)
        }
    }

    @Test("is answered as soon as its authenticator connects", arguments: [true, false])
    func connectsInTime(stillListed: Bool) async throws {
        try await withContactService(limits: .generous { _ in }) { service in
            let scalar = try ContactPeer.scalar()
            let listener = try await ContactPeer.listening(service.port, labels: [1, 2], scalar: scalar)
            let contactID = listener.contactIDs[0]
            await listener.close()
            try await until { service.listenerCount == 0 }
            let client = try await client(service, .contact(contactID))
            try await until { service.waitingContactCount == 1 }
            let back = try await ContactPeer.listening(
                service.port, labels: stillListed ? [1, 2] : [2], scalar: scalar)
            if stillListed { _ = try await back.wakeAcknowledged() }
            #expect(try await client.answerHead().status == (stillListed ? 101 : 410))
            await client.close()
            await back.close()
        }
    }

    @Test("that was not acknowledged is announced again after a reconnection; one that was is not")
    func announcedAgain() async throws {
        try await withContactService(limits: .generous { _ in }) { service in
            let scalar = try ContactPeer.scalar()
            let listener = try await ContactPeer.listening(service.port, labels: [1], scalar: scalar)
            let first = try await client(service, .contact(listener.contactIDs[0]))
            _ = try await listener.wakeAcknowledged()
            #expect(try await first.answerHead().status == 101)
            let second = try await client(service, .contact(listener.contactIDs[0]))
            let lost = try await listener.wake()
            await listener.close()
            let back = try await ContactPeer.listening(service.port, labels: [1], scalar: scalar)
            #expect(try await back.wakeAcknowledged() == lost)
            #expect(try await second.answerHead().status == 101)
            let third = try await client(service, .contact(listener.contactIDs[0]))
            #expect(try await back.wakeAcknowledged() != lost)
            for peer in [first, second, third, back.peer] { await peer.close() }
        }
    }

    @Test("is not kept waiting by an authenticator that has died without a word, whose connection is given up")
    func halfOpen() async throws {
        try await withContactService(limits: .generous { $0.contactHold = .seconds(1) }) { service in
            let listener = try await ContactPeer.listening(service.port)
            #expect(try await refusal(service, .contact(listener.contactIDs[0])).status == 503)
            try await until { service.listenerCount == 0 }
            await listener.close()
        }
    }

    @Test(
        "that the authenticator declines is refused before the answer, and closed after it", arguments: [false, true])
    func declined(acknowledged: Bool) async throws {
        try await withContactService { service in
            let listener = try await ContactPeer.listening(service.port)
            let client = try await client(service, .contact(listener.contactIDs[0]))
            let wake = try await listener.wake()
            if acknowledged { try await listener.send(.acknowledge(tunnelID: wake.tunnelID)) }
            try await listener.send(.decline(tunnelID: wake.tunnelID))
            #expect(try await client.answerHead().status == (acknowledged ? 101 : 503))
            if acknowledged { #expect(try await client.closeCode() == 1000) }
            await client.close()
            let late = try await RawPeer.connect(service.port)
            #expect(try await late.shake(wake.join).status == 404)
            await late.close()
            await listener.close()
        }
    }

    @Test("cannot be declined or acknowledged by another authenticator")
    func unauthenticated() async throws {
        try await withContactService(limits: .generous { _ in }) { service in
            let listener = try await ContactPeer.listening(service.port)
            let foreign = try await ContactPeer.listening(service.port)
            let client = try await client(service, .contact(listener.contactIDs[0]))
            let wake = try await listener.wake()
            try await foreign.send(.acknowledge(tunnelID: wake.tunnelID))
            try await foreign.peer.send(WireFrame(opcode: WireFrame.ping))
            #expect(try await foreign.peer.frame().opcode == WireFrame.pong)
            #expect(service.waitingContactCount == 1)
            try await listener.send(.acknowledge(tunnelID: wake.tunnelID))
            #expect(try await client.answerHead().status == 101)
            for peer in [client, listener.peer, foreign.peer] { await peer.close() }
        }
    }

    @Test("is not joined by a peer that guesses, but by the authenticator even before it has acknowledged")
    func joins() async throws {
        try await withContactService(limits: .generous { _ in }) { service in
            let listener = try await ContactPeer.listening(service.port)
            let client = try await client(service, .contact(listener.contactIDs[0]))
            let wake = try await listener.wake()
            let guess = try await RawPeer.connect(service.port)
            #expect(try await guess.shake(.connect()).status == 404)
            let authenticator = try await RawPeer.connect(service.port)
            #expect(try await authenticator.shake(wake.join).status == 101)
            #expect(try await client.answerHead().status == 101)
            #expect(try await client.message() == [0])
            let second = try await RawPeer.connect(service.port)
            #expect(try await second.shake(wake.join).status == 409)
            try await authenticator.send(WireFrame(payload: [5]))
            #expect(try await client.message() == [5])
            for peer in [client, guess, authenticator, second, listener.peer] { await peer.close() }
        }
    }

    @Test(
        "leaves nothing behind when the client leaves, before the acknowledgement or after it",
        arguments: [false, true])
    func clientLeaves(acknowledged: Bool) async throws {
        try await withContactService(limits: .generous { _ in }) { service in
            let listener = try await ContactPeer.listening(service.port)
            let client = try await client(service, .contact(listener.contactIDs[0]))
            let wake = try await listener.wake()
            if acknowledged {
                try await listener.send(.acknowledge(tunnelID: wake.tunnelID))
                #expect(try await client.answerHead().status == 101)
            }
            await client.close()
            try await until { service.pendingTunnelCount == 0 && service.waitingContactCount == 0 }
            try await listener.send(.acknowledge(tunnelID: wake.tunnelID))
            let late = try await RawPeer.connect(service.port)
            #expect(try await late.shake(wake.join).status == 404)
            await late.close()
            await listener.close()
        }
    }

    @Test("leaves nothing behind when the client leaves in the moment of the acknowledgement")
    func clientLeavesInTheMoment() async throws {
        let limits = TunnelService.Limits.generous {
            $0.wakesPerContact.burst = 1_000
            $0.wakesPerAuthenticator.burst = 1_000
            $0.contactsPerAddress.burst = 1_000
            $0.listenerFrames.burst = 1_000
        }
        try await withContactService(limits: limits) { service in
            let listener = try await ContactPeer.listening(service.port)
            for _ in 0..<200 {
                let client = try await client(service, .contact(listener.contactIDs[0]))
                let wake = try await listener.wake()
                async let leaving: Void = client.close()
                try await listener.send(.acknowledge(tunnelID: wake.tunnelID))
                await leaving
            }
            try await until { service.pendingTunnelCount == 0 && service.waitingContactCount == 0 }
            await listener.close()
        }
    }

    @Test("ends when the authenticator has acknowledged it and does not come")
    func neverJoined() async throws {
        try await withContactService(limits: .generous { $0.pendingLifetime = .seconds(1) }) { service in
            let listener = try await ContactPeer.listening(service.port)
            let client = try await client(service, .contact(listener.contactIDs[0]))
            _ = try await listener.wakeAcknowledged()
            await listener.close()
            #expect(try await client.answerHead().status == 101)
            #expect(try await client.closeCode() == 1001)
            await client.close()
        }
    }

    @Test("that waits among too many is refused with 503, before or after its authenticator knows")
    func evicted() async throws {
        try await withContactService(limits: .generous { $0.pendingTunnels = 1 }) { service in
            let listener = try await ContactPeer.listening(service.port)
            let unknown = try await client(service, .contact(listener.contactIDs[0]))
            _ = try await listener.wake()
            let known = try await client(service, .contact(listener.contactIDs[0]))
            #expect(try await unknown.lastAnswer().status == 503)
            _ = try await listener.wakeAcknowledged()
            #expect(try await known.answerHead().status == 101)
            let last = try await service.authenticator()
            #expect(try await known.closeCode() == 1013)
            #expect(service.waitingContactCount == 0)
            for peer in [unknown, known, last, listener.peer] { await peer.close() }
        }
    }

    @Test("that waits is refused when the service is shut down")
    func drained() async throws {
        try await withContactService(limits: .generous { _ in }) { service in
            let listener = try await ContactPeer.listening(service.port)
            await listener.close()
            try await until { service.listenerCount == 0 }
            let client = try await client(service, .contact(listener.contactIDs[0]))
            try await until { service.waitingContactCount == 1 }
            async let end: Void = service.shutdown()
            #expect(try await client.answerHead().status == 503)
            await client.close()
            await end
        }
    }
}
