import Cryptography
import HybridProtocol
import NIOConcurrencyHelpers
import Testing

@testable import TunnelService

/// Somebody who has the password of one node at a server of NATS, not the contact secret (TS-CON-54, TS-CON-55).
@Suite("Nodes on NATS, attacked with a node's password", .enabled(if: hasNATS == true, "needs nats-server"))
struct ClusterAttackTests {
    private let secret = (0..<ContactTokenIssuer.secretByteCount).map { _ in UInt8.random(in: 0...UInt8.max) }

    private func node(_ number: Int, _ port: Int) async throws -> RunningTunnelService {
        var configuration = TunnelService.Configuration(
            security: .plain, routingID: try RoutingID([0, 0, UInt8(number)]), hostNames: [Handshake.host],
            contactTokens: try ContactTokenIssuer(secret: SecretBytes(copying: secret.span)),
            admin: .tcp(host: "127.0.0.1", port: 0),
            limits: .generous { _ in })
        configuration.bus = try bus(number, port)
        return try await TunnelService(configuration: configuration).start()
    }

    private func bus(_ number: Int, _ port: Int) throws -> NATSBus {
        try NATSBus(
            NATSSettings(
                servers: ["nats://127.0.0.1:\(port)"], user: "node\(number)", password: "password\(number)",
                authorityFile: nil, inbox: "00000\(number)"))
    }

    /// Two nodes that believe each other, for the time of a test.
    private func withNodes(_ body: (inout [RunningTunnelService], Int) async throws -> Void) async throws {
        try await withNATS { port in
            var nodes: [RunningTunnelService] = []
            for number in 1...2 { nodes.append(try await node(number, port)) }
            for node in nodes { try await ClusterTests().untilKnown(1, to: node) }
            do {
                try await body(&nodes, port)
            } catch {
                for node in nodes { await node.shutdown() }
                throw error
            }
            for node in nodes { await node.shutdown() }
        }
    }

    private func dropped(_ node: RunningTunnelService, _ reason: ClusterMessage.Violation) async -> Int {
        await ClusterTests().dropped(node, reason)
    }

    private func wake(_ listener: ContactPeer, through node: RunningTunnelService) async throws {
        let client = try await ClusterTests().client(node, listener.contactIDs[0])
        _ = try await listener.wakeAcknowledged()
        #expect(try await client.answerHead().status == 101)
        await client.close()
    }

    /// Waits until the authenticator can be asked for.
    private func untilHeard(_ subject: String, _ peer: ClusterPeer) async throws {
        try await until { (try? await peer.ask(.query, of: subject, for: .milliseconds(500))) != nil }
    }

    /// A connection with the password of node 3: of an attacker, whose messages have a code under a secret of his
    /// own, and who proves that he runs, and of a node that only asks.
    private func third(_ port: Int) async throws -> (bus: NATSBus, attacker: ClusterPeer, node: ClusterPeer) {
        let bus = try bus(3, port)
        bus.start {}
        try await until { bus.isConnected }
        let other = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        return (
            bus, ClusterPeer(bus, try ContactTokenIssuer(secret: other)),
            ClusterPeer(bus, try ContactTokenIssuer(secret: SecretBytes(copying: secret.span)))
        )
    }

    @Test(
        "wake an authenticator whatever else is answered",
        arguments: [
            .outcome(.revoked, seconds: 0), .outcome(.limited, seconds: 86_400), .outcome(.declined, seconds: 0),
            .outcome(.acknowledged, seconds: 0),
        ] as [ClusterMessage])
    func outcome(_ answer: ClusterMessage) async throws {
        try await withNodes { nodes, port in
            let (bus, attacker, asking) = try await third(port)
            let listener = try await ContactPeer.listening(nodes[0].port)
            let subject = ClusterSubject.authenticator(AuthenticatorID(listener.key.publicKey))
            try await untilHeard(subject, asking)
            let answering = bus.subscribe(to: subject) { attacker.answer($0, answer) }
            let client = try await ClusterTests().client(nodes[1], listener.contactIDs[0])
            let wake = try await listener.wake()
            try await until {
                let forged = await dropped(nodes[1], .forged)
                return forged > 0 || client.receivedCount > 0
            }
            try await listener.send(.acknowledge(tunnelID: wake.tunnelID))
            #expect(try await client.answerHead().status == 101)
            #expect(await dropped(nodes[1], .forged) > 0)
            answering.cancel()
            attacker.stop()
            bus.stop()
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("end no registration, list no label, and stay ready, whatever else is told")
    func told() async throws {
        try await withNodes { nodes, port in
            let (bus, attacker, asking) = try await third(port)
            let scalar = try ContactPeer.scalar()
            let id = try AuthenticatorID(P256.PrivateKey(scalar: scalar.span).publicKey)
            let subject = ClusterSubject.authenticator(id)
            let number = ClusterMessage.Registration(number: 5, tie: 0)
            let answering = ["hybrid.node.000001", "hybrid.node.000002", subject].map { place in
                bus.subscribe(to: place) { attacker.answer($0, place == subject ? .number(number) : .present) }
            }
            let listener = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await until { await dropped(nodes[0], .forged) > 0 }
            let token = ContactToken(authenticator: id, label: try ContactPeer.label(9))
            try await untilHeard(subject, asking)
            // Once to be asked for a proof, and then to be believed.
            for _ in 0..<3 {
                let before = await dropped(nodes[0], .forged)
                attacker.tellAlive(1 << 61)
                attacker.tell(.labels([token.label]), to: subject)
                attacker.tell(
                    .registered(.init(number: 1 << 61, tie: 0), milliseconds: 0, replacing: 0), to: subject)
                try await until { await dropped(nodes[0], .forged) >= before + 3 }
            }
            try await wake(listener, through: nodes[1])
            let registry = try #require(nodes[0].relay.contacts).registry
            #expect(registry.standing(of: token) != .reachable)
            for node in nodes { #expect(try await ClusterTests().page("/readyz", node) == "ready\n") }
            for each in answering { each.cancel() }
            attacker.stop()
            bus.stop()
            await listener.close()
        }
    }

    @Test("believe nothing that was recorded: while all run, and after a restart of either")
    func recorded() async throws {
        try await withNodes { nodes, port in
            let attacker = try NATSClient(port, user: "node3", password: "password3")
            let (bus, _, asking) = try await third(port)
            let scalar = try ContactPeer.scalar()
            let id = try AuthenticatorID(P256.PrivateKey(scalar: scalar.span).publicKey)
            let subject = ClusterSubject.authenticator(id)
            let added = ContactToken(authenticator: id, label: try ContactPeer.label(2))
            var listener = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilHeard(subject, asking)
            let moved = try await ContactPeer.listening(nodes[1].port, scalar: scalar)
            #expect(try await listener.peer.closeCode() == 4409)
            await listener.close()
            // A label that is told from one to the other, a wake, and then the label is revoked.
            let making = try await ContactPeer.connect(nodes[0].port, scalar: scalar)
            try await making.register([2], listens: false)
            try await until { Self.isListed(added, nodes[1]) }
            try await wake(moved, through: nodes[0])
            try await moved.register([1])
            for peer in [making, moved] { await peer.close() }
            // One more that is newer than all, at the node that has restarted or at the other.
            for restarted in [nil, 1, 0] {
                if let restarted {
                    await nodes[restarted].shutdown()
                    nodes[restarted] = try await node(restarted + 1, port)
                }
                listener = try await ContactPeer.listening(nodes[1].port, scalar: scalar)
                try await untilHeard(subject, asking)
                let marks = await marks(nodes)
                let messages = attacker.messages
                #expect(messages.count > 10)
                for _ in 0..<2 {
                    for message in messages {
                        attacker.publish(message.bytes, to: message.subject, reply: message.reply)
                    }
                }
                attacker.publish([0], to: ClusterSubject.alive)
                try await until { await self.marks(nodes) == marks.map { $0 + 1 } }
                #expect(!Self.isListed(added, nodes[1]))
                // It is told of this client alone.
                try await wake(listener, through: nodes[0])
                #expect(nodes.map(\.listenerCount) == [0, 1])
                for node in nodes { #expect(try await ClusterTests().page("/readyz", node) == "ready\n") }
                #expect(await dropped(nodes[1], .replayed) + dropped(nodes[1], .unproven) > 0)
                await listener.close()
            }
            attacker.stop()
            asking.stop()
            bus.stop()
        }
    }

    @Test("go on when it is said, in the server's name, that nobody listens")
    func deniedListeners() async throws {
        try await withNodes { nodes, port in
            let attacker = try NATSClient(port, user: "node3", password: "password3")
            attacker.handle { message in message.reply.map { attacker.denyListeners(to: $0) } }
            let scalar = try ContactPeer.scalar()
            let older = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            let subject = ClusterSubject.authenticator(AuthenticatorID(older.key.publicKey))
            try await until { attacker.messages.contains { $0.subject == subject && $0.reply == nil } }
            let newer = try await ContactPeer.listening(nodes[1].port, scalar: scalar)
            #expect([1001, 4409].contains(try await older.peer.closeCode()))
            try await wake(newer, through: nodes[0])
            attacker.stop()
            for peer in [older, newer] { await peer.close() }
        }
    }

    /// The numbers of messages that could not be read.
    private func marks(_ nodes: [RunningTunnelService]) async -> [Int] {
        var marks: [Int] = []
        for node in nodes { marks.append(await dropped(node, .malformed)) }
        return marks
    }

    private static func isListed(_ token: ContactToken, _ node: RunningTunnelService) -> Bool {
        node.relay.contacts?.registry.standing(of: token) == .reachable
    }
}
