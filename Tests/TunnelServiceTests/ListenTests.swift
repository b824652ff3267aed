import Cryptography
import HybridProtocol
import Testing

@testable import TunnelService

@Suite("An authenticator that wants to be woken")
struct ListenTests {
    @Test("gets contact IDs for its labels, the same ones every time")
    func registers() async throws {
        try await withContactService { service in
            let scalar = try ContactPeer.scalar()
            let listener = try await ContactPeer.listening(service.port, labels: [1, 2], scalar: scalar)
            let first = listener.contactIDs
            #expect(first.count == 2 && Set(first).count == 2)
            #expect(service.listenerCount == 1)
            try await listener.register([2, 1])
            #expect(listener.contactIDs == first.reversed())
            try await listener.register([])
            #expect(listener.contactIDs.isEmpty)
            await listener.close()
            try await until { service.listenerCount == 0 }
            let again = try await ContactPeer.listening(service.port, labels: [1, 2], scalar: scalar)
            #expect(again.contactIDs == first)
            let other = try await ContactPeer.listening(service.port, labels: [1, 2])
            #expect(Set(other.contactIDs).isDisjoint(with: first))
            await again.close()
            await other.close()
        }
    }

    @Test("is refused with a proof for another host, or of another challenge")
    func wrongProof() async throws {
        try await withContactService { service in
            let elsewhere = try await ContactPeer.connect(service.port)
            try await elsewhere.send(.register(try elsewhere.registration([1], host: "cable.example.com")))
            #expect(try await elsewhere.peer.closeCode() == 4401)

            let replayed = try await ContactPeer.connect(service.port)
            let registration = try replayed.registration([1])
            try await replayed.register([1])
            try await replayed.send(.register(registration))
            #expect(try await replayed.peer.closeCode() == 4401)
            let fresh = try await ContactPeer.connect(service.port)
            try await fresh.send(.register(registration))
            #expect(try await fresh.peer.closeCode() == 4401)
            try await until { service.listenerCount == 0 }
            for peer in [elsewhere, replayed, fresh] { await peer.close() }
        }
    }

    @Test("cannot change to another key on its connection")
    func otherKey() async throws {
        try await withContactService { service in
            let listener = try await ContactPeer.listening(service.port)
            let foreign = try P256.PrivateKey.generate()
            let registration = try ContactRegistration(
                labels: [], listens: true, host: Handshake.host, challenge: listener.challenge, key: foreign)
            try await listener.send(.register(registration))
            #expect(try await listener.peer.closeCode() == 4401)
            await listener.close()
        }
    }

    @Test(
        "can register under the service's names alone",
        arguments: ["wake.example.com", "127.0.0.1", "wa\u{212A}e.example.com"])
    func hostNames(host: String) async throws {
        try await withContactService(hostNames: ["wake.example.com"]) { service in
            let peer = try await RawPeer.connect(service.port)
            try await peer.send(Handshake.listen.with("Host", "\(host):443").text)
            #expect(try await peer.answerHead().status == (host == "wake.example.com" ? 101 : 403))
            await peer.close()
        }
    }

    struct Violation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frame: WireFrame
        let code: Int
    }

    static let tooManyLabels: [UInt8] =
        [0xA5, 0, 2, 1, 0x58, 33] + Array(repeating: 2, count: 33) + [2, 0x58, 70] + Array(repeating: 0x30, count: 70)
        + [3, 0x98, 65] + (0..<65).flatMap { _ in [0x48] + Array(repeating: 1, count: 8) } + [4, 0xF5]
    static let violations = [
        Violation(testDescription: "text", frame: WireFrame(opcode: WireFrame.text, payload: [0x41]), code: 1003),
        Violation(testDescription: "an empty message", frame: WireFrame(), code: 1002),
        Violation(testDescription: "no CBOR", frame: WireFrame(payload: [0xFF]), code: 1002),
        Violation(testDescription: "an unknown type", frame: WireFrame(payload: [0xA1, 0, 9]), code: 1002),
        Violation(testDescription: "a message of the service", frame: WireFrame(payload: [0xA1, 0, 1]), code: 1002),
        Violation(testDescription: "65 labels", frame: WireFrame(payload: tooManyLabels), code: 1002),
        Violation(
            testDescription: "a giant message", frame: WireFrame(payload: [UInt8](repeating: 0, count: 1025)),
            code: 1009),
        Violation(
            testDescription: "an acknowledgement before the registration",
            frame: WireFrame(
                payload: AuthenticatorMessage.acknowledge(tunnelID: [UInt8](repeating: 1, count: 16)).encoded()),
            code: 1002),
        Violation(
            testDescription: "a frame without a mask", frame: WireFrame(payload: [0xA0], isMasked: false), code: 1002),
    ]

    @Test("is closed with a code for each way to break the rules", arguments: violations)
    func breaksRules(_ violation: Violation) async throws {
        try await withContactService { service in
            let peer = try await ContactPeer.connect(service.port)
            try await peer.peer.send(violation.frame)
            #expect(try await peer.peer.closeCode() == violation.code)
            await peer.close()
        }
    }

    @Test("must register in time")
    func registersInTime() async throws {
        try await withContactService(limits: .generous { $0.requestTime = .seconds(4) }) { service in
            let peer = try await ContactPeer.connect(service.port)
            #expect(try await peer.peer.closeCode() == 4408)
            await peer.close()
        }
    }

    @Test("may send so many frames and no more; a registration counts as seventeen", arguments: [false, true])
    func frames(ofRegistrations: Bool) async throws {
        let limits = TunnelService.Limits.generous { $0.listenerFrames = .init(burst: 40, interval: .seconds(3600)) }
        try await withContactService(limits: limits) { service in
            let peer = try await ContactPeer.listening(service.port)
            if ofRegistrations {
                try await peer.register([1])
                try await peer.send(.register(try peer.registration([1])))
            } else {
                for _ in 0..<23 {
                    try await peer.peer.send(WireFrame(opcode: WireFrame.ping))
                    #expect(try await peer.peer.frame().opcode == WireFrame.pong)
                }
                try await peer.peer.send(WireFrame(opcode: WireFrame.pong))
            }
            #expect(try await peer.peer.closeCode() == 4429)
            await peer.close()
        }
    }

    @Test("is replaced by its own newer connection, which gets the wakes")
    func replaced() async throws {
        try await withContactService { service in
            let scalar = try ContactPeer.scalar()
            let old = try await ContactPeer.listening(service.port, scalar: scalar)
            let new = try await ContactPeer.listening(service.port, scalar: scalar)
            #expect(try await old.peer.closeCode() == 4409)
            await old.close()
            #expect(service.listenerCount == 1)
            let client = try await RawPeer.connect(service.port)
            try await client.send(Handshake.contact(new.contactIDs[0]).text)
            _ = try await new.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            await client.close()
            await new.close()
        }
    }

    @Test("can have a contact ID without being woken, and without disturbing the connection that is")
    func oneShot() async throws {
        try await withContactService { service in
            let scalar = try ContactPeer.scalar()
            let listener = try await ContactPeer.listening(service.port, labels: [1], scalar: scalar)
            let other = try await ContactPeer.connect(service.port, scalar: scalar)
            try await other.register([2], listens: false)
            #expect(try await other.peer.closeCode() == 1000)
            await other.close()
            #expect(service.listenerCount == 1)
            // The listener's own labels do not have it yet: it must not be taken for a link that was revoked.
            let client = try await RawPeer.connect(service.port)
            try await client.send(Handshake.contact(other.contactIDs[0]).text)
            #expect(try await listener.wakeAcknowledged().contactID == other.contactIDs[0])
            #expect(try await client.answerHead().status == 101)
            await client.close()
            await listener.close()
        }
    }

    @Test("is pinged rarely, and given up when it stays silent")
    func silent() async throws {
        let limits = TunnelService.Limits.generous {
            $0.listenerPingInterval = .milliseconds(500)
            $0.listenerSilence = .seconds(8)
        }
        try await withContactService(limits: limits) { service in
            let peer = try await ContactPeer.listening(service.port)
            for _ in 0..<3 {
                #expect(try await peer.peer.frame().opcode == WireFrame.ping)
                try await peer.peer.send(WireFrame(opcode: WireFrame.pong))
            }
            #expect(service.listenerCount == 1)
            try await until { service.listenerCount == 0 }
            await peer.close()
        }
    }

    @Test("is woken by contact IDs of the current secret and the previous one, changed while it is connected")
    func secrets() async throws {
        let leaked = try ContactTokenIssuer(secret: SecretBytes.random(count: ContactTokenIssuer.secretByteCount))
        let current = try ContactTokenIssuer(
            secret: SecretBytes.random(count: ContactTokenIssuer.secretByteCount), previous: leaked)
        let scalar = try ContactPeer.scalar()
        try await withService(hostNames: [Handshake.host], contactTokens: leaked) { service in
            let listener = try await ContactPeer.listening(service.port, scalar: scalar)
            let old = try #require(listener.contactIDs.first)
            try service.reload(contactTokens: current)
            try await listener.register([1])
            let new = try #require(listener.contactIDs.first)
            #expect(new != old)
            for contactID in [old, new] {
                let client = try await RawPeer.connect(service.port)
                try await client.send(Handshake.contact(contactID).text)
                #expect(try await listener.wakeAcknowledged().contactID == contactID)
                #expect(try await client.answerHead().status == 101)
                await client.close()
            }
            // Without the previous one, contacts that were made with it are gone.
            try service.reload(
                contactTokens: ContactTokenIssuer(
                    secret: SecretBytes.random(count: ContactTokenIssuer.secretByteCount), previous: current))
            let kept = try await RawPeer.connect(service.port)
            try await kept.send(Handshake.contact(new).text)
            _ = try await listener.wakeAcknowledged()
            #expect(try await kept.answerHead().status == 101)
            try service.reload(contactTokens: leaked)
            let gone = try await RawPeer.connect(service.port)
            #expect(try await gone.shake(.contact(new)).status == 410)
            for peer in [kept, gone, listener.peer] { await peer.close() }
        }
    }

    @Test("is told to go away when the service is shut down")
    func drained() async throws {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        let issuer = try ContactTokenIssuer(secret: secret)
        let service = try await TunnelService(
            configuration: .init(security: .plain, hostNames: [Handshake.host], contactTokens: issuer)
        ).start()
        let peer = try await ContactPeer.listening(service.port)
        async let end: Void = service.shutdown(drain: .seconds(60))
        #expect(try await peer.peer.closeCode() == 1001)
        await peer.close()
        await end
    }
}
