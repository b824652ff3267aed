import Cryptography
import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// A tunnel service that speaks the contact protocol as a test says.
private final class StrangeService: TunnelOpener {
    private let behave: @Sendable (any DataChannel) async throws -> Void
    private let resources = ResourceCounter()
    /// The number of openings that could have been led to another server.
    let redirectable = Mutex(0)

    init(_ behave: @escaping @Sendable (any DataChannel) async throws -> Void) { self.behave = behave }

    func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
        if request.followsRedirects { redirectable.withLock { $0 += 1 } }
        let (here, there) = TestChannel.pair(resources, { _, _ in .delivered }, { _, _ in .delivered })
        let (listener, service) = (here.handOut(), there.handOut())
        Task { [behave] in
            try? await behave(service)
            await service.close()
        }
        return OpenedTunnel(channel: listener, routingIDHeader: nil)
    }
}

@Suite("A listener whose service misbehaves", .timeLimit(.minutes(5)))
struct HostileContactServiceTests {
    private static let hello = ServiceMessage.hello(challenge: [UInt8](repeating: 1, count: 32)).encoded()
    private static func registered(_ contactIDs: [[UInt8]]) -> [UInt8] {
        ServiceMessage.registered(contactIDs: contactIDs, nextChallenge: [UInt8](repeating: 2, count: 32)).encoded()
    }
    private static func wake(_ tunnel: UInt8, contactID: [UInt8] = [7]) -> [UInt8] {
        ServiceMessage.wake(
            .init(
                contactID: contactID, tunnelID: [UInt8](repeating: tunnel, count: 16), routingID: [0, 0, 0],
                clientPayload: [1])
        ).encoded()
    }

    private func listener(_ service: StrangeService, answer: Duration = .seconds(60)) throws -> ContactListener {
        var limits = ContactListener.Limits.standard
        limits.firstWait = .milliseconds(50)
        limits.answer = answer
        let link = try LinkID([UInt8](repeating: 1, count: 8))
        return ContactListener(
            key: try .generate(), service: TunnelURL.Service(address: "wss://cable.example.com"), opener: service,
            limits: limits
        ) { [ContactLink(link)] }
    }

    @Test("is not led to another one by a redirect, to listen or to register a link")
    func redirects() async throws {
        let service = StrangeService { channel in
            try await channel.send(Self.hello)
            _ = try await channel.receive()
            try await channel.send(Self.registered([[7]]))
            _ = try await channel.receive()
        }
        try await ContactTestContext.running(try listener(service)) { events in
            _ = try await events.registered()
        }
        let link = try LinkID([UInt8](repeating: 1, count: 8))
        let key = try P256.PrivateKey.generate()
        let address = TunnelURL.Service(address: "wss://cable.example.com")
        _ = try await ContactListener.register(link, key: key, service: address, opener: service)
        #expect(service.redirectable.withLock { $0 } == 0)
    }

    @Test(
        "ends the connection, reports the reason and tries again",
        arguments: [
            [[0xFF]], [registered([[7]])], [hello, hello], [hello, registered([])], [hello, registered([[7], [8]])],
            [hello, wake(1)], [hello, registered([[7]]), hello], [hello, registered([[7]]), registered([[7]])],
            [hello, registered([[7]]), [0xA1, 0, 9]],
        ] as [[[UInt8]]])
    func violations(messages: [[UInt8]]) async throws {
        let service = StrangeService { channel in
            for message in messages { try await channel.send(message) }
            while true { _ = try await channel.receive() }
        }
        try await ContactTestContext.running(try listener(service)) { events in
            for _ in 0..<2 {
                let cause = try await events.reconnecting()
                #expect(cause.code == .framingViolation)
            }
        }
    }

    @Test("does not wait for ever", arguments: [[], [hello]] as [[[UInt8]]])
    func silent(messages: [[UInt8]]) async throws {
        let service = StrangeService { channel in
            for message in messages { try await channel.send(message) }
            while true { _ = try await channel.receive() }
        }
        try await ContactTestContext.running(try listener(service, answer: .milliseconds(200))) { events in
            let cause = try await events.reconnecting()
            #expect(cause.code == .timeout)
        }
    }

    @Test("passes a wake on once, however often and through however many connections it is announced")
    func announcedTwice() async throws {
        let answers = Mutex<[AuthenticatorMessage]>([])
        let service = StrangeService { channel in
            try await channel.send(Self.hello)
            _ = try await channel.receive()
            for message in [Self.registered([[7]]), Self.wake(1), Self.wake(1)] { try await channel.send(message) }
            for _ in 0..<2 {
                let answer = try AuthenticatorMessage(decoding: try await channel.receive())
                answers.withLock { $0.append(answer) }
            }
        }
        try await ContactTestContext.running(try listener(service)) { events in
            #expect(try await events.wake().tunnelID.bytes == [UInt8](repeating: 1, count: 16))
            _ = try await events.reconnecting()
            var wakes = 0
            var registrations = 0
            while registrations < 3, let event = await events.next() {
                if case .wake = event { wakes += 1 }
                if case .registered = event { registrations += 1 }
            }
            #expect(wakes == 0)
        }
        let acknowledgement = AuthenticatorMessage.acknowledge(tunnelID: [UInt8](repeating: 1, count: 16))
        #expect(answers.withLock { $0.count >= 4 && $0.allSatisfy { $0 == acknowledgement } })
    }

    @Test("declines a wake by a foreign contact ID")
    func unknownContactID() async throws {
        let service = StrangeService { channel in
            try await channel.send(Self.hello)
            _ = try await channel.receive()
            try await channel.send(Self.registered([[7]]))
            try await channel.send(Self.wake(1, contactID: [9]))
            while true { _ = try await channel.receive() }
        }
        try await ContactTestContext.running(try listener(service)) { events in
            let refusal = try await events.refusal()
            #expect(refusal == .unknownLink)
        }
    }

    @Test("proves itself for the name in the address alone")
    func proof() async throws {
        let registration = Mutex<ContactRegistration?>(nil)
        let service = StrangeService { channel in
            try await channel.send(Self.hello)
            if case .register(let made) = try AuthenticatorMessage(decoding: try await channel.receive()) {
                registration.withLock { $0 = made }
            }
            try await channel.send(Self.registered([[7]]))
            while true { _ = try await channel.receive() }
        }
        try await ContactTestContext.running(try listener(service)) { events in _ = try await events.registered() }
        let made = try #require(registration.withLock { $0 })
        let challenge = [UInt8](repeating: 1, count: 32)
        #expect(throws: Never.self) { try made.authenticator(host: "cable.example.com", challenge: challenge) }
        #expect(throws: TunnelProtocolError(.wrongProof, reason: "")) {
            try made.authenticator(host: "cable.example.org", challenge: challenge)
        }
    }
}
