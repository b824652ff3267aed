import Cryptography
import Encodings
import HybridProtocol
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import TunnelService

// Messages that no node has sent (TS-CON-54), and those that one has sent before (TS-CON-55).
extension ClusterTests {
    private static let far = UInt64(1) << 61

    /// The secret of somebody who has NATS's password and no contact secret.
    private func otherIssuer() throws -> ContactTokenIssuer {
        try ContactTokenIssuer(secret: SecretBytes.random(count: ContactTokenIssuer.secretByteCount))
    }

    func dropped(_ node: RunningTunnelService, _ reason: ClusterMessage.Violation) async -> Int {
        let name = "tunnel_service_cluster_dropped_total{reason=\"\(reason.rawValue)\"} "
        let text = (try? await page("/metrics", node)) ?? ""
        return text.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? 0
    }

    /// The subject of the one authenticator that waits, and a token of it.
    private func target(_ bus: MemoryBus, _ listener: ContactPeer, label: UInt8) throws -> (String, ContactToken) {
        let id = AuthenticatorID(listener.key.publicKey)
        return (ClusterSubject.authenticator(id), ContactToken(authenticator: id, label: try ContactPeer.label(label)))
    }

    private func isListed(_ token: ContactToken, _ node: RunningTunnelService) throws -> Bool {
        try #require(node.relay.contacts).registry.standing(of: token) == .reachable
    }

    @Test("know each other by a code over the way, the sender, its counter and the contents")
    func codes() throws {
        let (issuer, other) = (try otherIssuer(), try otherIssuer())
        let sender = ClusterEnvelope.Sender(process: .init(repeating: 7, count: 16), counter: 5)
        let route = ClusterEnvelope.Route(subject: "a", reply: "b", question: [1])
        let message = ClusterMessage.alive(number: 3)
        let bytes = ClusterEnvelope(message.encoded, from: sender, on: route, by: issuer).encoded
        let envelope = try ClusterEnvelope(decoding: bytes)
        #expect(envelope.sender == sender)
        #expect(try envelope.message(on: route, by: issuer) == message)
        let elsewhere: [ClusterEnvelope.Route] = [
            .init(subject: "c", reply: "b", question: [1]), .init(subject: "a", reply: "c", question: [1]),
            .init(subject: "a", reply: "b", question: [2]), .init(subject: "a"), .init(subject: "ab", question: [1]),
        ]
        for route in elsewhere {
            #expect(throws: ClusterMessage.Violation.forged) { try envelope.message(on: route, by: issuer) }
        }
        #expect(throws: ClusterMessage.Violation.forged) { try envelope.message(on: route, by: other) }
        for bit in 0..<(8 * bytes.count) {
            var altered = bytes
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: ClusterMessage.Violation.self) {
                try ClusterEnvelope(decoding: altered).message(on: route, by: issuer)
            }
        }
        #expect(throws: ClusterMessage.Violation.forged) {
            try envelope.message(on: route, by: ContactTokenIssuer(secret: .random(count: 32), previous: other))
        }
        let renewed = try ContactTokenIssuer(secret: .random(count: 32), previous: issuer)
        #expect(try envelope.message(on: route, by: renewed) == message)
    }

    @Test("have the code that the specification says")
    func knownCode() throws {
        let secret = SecretBytes(copying: [UInt8](repeating: 5, count: 32).span)
        let envelope = ClusterEnvelope(
            ClusterMessage.alive(number: 3).encoded,
            from: .init(process: .init(repeating: 7, count: 16), counter: 9),
            on: .init(subject: "hybrid.alive"), by: try ContactTokenIssuer(secret: secret))
        #expect(Hexadecimal.encode(envelope.code) == "040f052ec338ab9c5fdf6c4e1157b60568322edf6cf2361de3e323b705324d28")
    }

    @Test(
        "are not misled by who has the bus's password alone",
        arguments: [
            .outcome(.revoked, seconds: 0), .outcome(.limited, seconds: 86_400), .outcome(.declined, seconds: 0),
        ] as [ClusterMessage])
    func otherSecret(answer: ClusterMessage) async throws {
        try await withNodes { nodes, bus in
            let attacker = ClusterPeer(bus.node(9), try otherIssuer())
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            let (subject, token) = try target(bus, listener, label: 9)
            let answering = bus.node(9).subscribe(to: subject) { attacker.answer($0, answer) }
            let client = try await client(nodes[1], listener.contactIDs[0])
            try await until { await dropped(nodes[1], .forged) >= 1 }
            for _ in 0..<3 {
                attacker.tell(
                    .registered(.init(number: Self.far, tie: 0), milliseconds: 0, replacing: nil), to: subject)
                attacker.tell(.labels([token.label]), to: subject)
                attacker.tellAlive(Self.far)
                attacker.tell(.returned, to: ClusterSubject.waiting(token.authenticator))
            }
            try await until { await dropped(nodes[0], .forged) >= 9 }
            #expect(try !isListed(token, nodes[0]))
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            #expect(attacker.proofs == 0)
            answering.cancel()
            attacker.stop()
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("stay ready, and start, when somebody says to have their name")
    func forgedPresence() async throws {
        try await withNodes(1) { nodes, bus in
            let attacker = ClusterPeer(bus.node(9), try otherIssuer())
            let answering = (1...2).map { number in
                bus.node(9).subscribe(to: "hybrid.node.00000\(number)") { attacker.answer($0, .present) }
            }
            let second = try await TunnelService(
                configuration: configuration(1, bus, issuer(nodes[0]), .generous)
            ).start()
            bus.connect(true)
            try await until { await dropped(nodes[0], .forged) >= 1 }
            for node in nodes + [second] { #expect(try await page("/readyz", node) == "ready\n") }
            await second.shutdown()
            for each in answering { each.cancel() }
            attacker.stop()
        }
    }

    @Test("take the true answer after it was said that nobody listens")
    func forgedNobody() async throws {
        try await withNodes { nodes, bus in
            bus.forgeNobody(true)
            let scalar = try ContactPeer.scalar()
            let older = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            let newer = try await ContactPeer.listening(nodes[1].port, scalar: scalar)
            #expect([1001, 4409].contains(try await older.peer.closeCode()))
            try await until { nodes.map(\.listenerCount) == [0, 1] }
            let client = try await client(nodes[0], newer.contactIDs[0])
            _ = try await newer.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, older.peer, newer.peer] { await peer.close() }
        }
    }

    @Test("do not keep an authenticator away because a number that nobody told is the lesser one")
    func forgedNobodyAtOnce() async throws {
        try await withNodes { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let older = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            let (subject, _) = try target(bus, older, label: 1)
            // A registration of the same moment, and of a greater number, that was not told of this one.
            let peer = ClusterPeer(bus.node(9), try issuer(nodes[0]))
            try await peer.begin(2)
            peer.tell(.registered(.init(number: 7, tie: 1), milliseconds: nil, replacing: 3), to: subject)
            #expect(try await older.peer.closeCode() == 1001)
            peer.stop()
            await older.close()
        }
    }

    @Test("drop what was told before, also after a restart of either side", arguments: [true, false])
    func replayed(senderIsThere: Bool) async throws {
        try await withNodes(1) { nodes, bus in
            let peer = ClusterPeer(bus.node(9), try issuer(nodes[0]))
            try await peer.begin(1)
            let scalar = try ContactPeer.scalar()
            var listener = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            let (subject, token) = try target(bus, listener, label: 9)
            let recorded = peer.seal(.labels([token.label]), to: subject)
            bus.send(recorded, to: subject)
            try await until { (try? isListed(token, nodes[0])) == true }
            try await listener.register([1])
            #expect(try !isListed(token, nodes[0]))
            for _ in 0..<3 { bus.send(recorded, to: subject) }
            try await until { await dropped(nodes[0], .replayed) == 3 }
            #expect(try !isListed(token, nodes[0]))
            await listener.close()
            try await untilKnown(0, bus)
            if !senderIsThere { peer.stop() }
            // The same node, started again, remembers nothing.
            let after = try await TunnelService(
                configuration: configuration(1, bus, issuer(nodes[0]), .generous)
            ).start()
            listener = try await ContactPeer.listening(after.port, scalar: scalar)
            try await untilKnown(1, bus)
            let proofs = peer.proofs
            for _ in 0..<3 {
                bus.send(recorded, to: subject)
                if senderIsThere { try await until { peer.proofs > proofs } }
            }
            try await until { await dropped(after, .unproven) + dropped(after, .replayed) >= 3 }
            #expect(try !isListed(token, after))
            #expect(await (dropped(after, .replayed) > 0) == senderIsThere)
            await listener.close()
            await after.shutdown()
            peer.stop()
        }
    }

    @Test("drop what comes after a later message of its process, and their own messages")
    func reordered() async throws {
        try await withNodes(1) { nodes, bus in
            let peer = ClusterPeer(bus.node(9), try issuer(nodes[0]))
            try await peer.begin(1)
            let own = NIOLockedValueBox<[UInt8]>([])
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            let (subject, token) = try target(bus, listener, label: 9)
            let subscription = bus.node(8).subscribe(to: subject) { delivery in
                own.withLockedValue { $0 = delivery.message }
            }
            let late = peer.seal(.labels([token.label]), to: subject)
            // An older registration: it is answered by an announcement.
            peer.tell(.registered(.init(number: 1, tie: 0), milliseconds: .max, replacing: nil), to: subject)
            try await until { own.withLockedValue { !$0.isEmpty } }
            bus.send(late, to: subject)
            bus.send(own.withLockedValue { $0 }, to: subject)
            try await until { await dropped(nodes[0], .replayed) == 2 }
            #expect(try !isListed(token, nodes[0]))
            subscription.cancel()
            peer.stop()
            await listener.close()
        }
    }

    @Test("take no answer to another question")
    func oldAnswer() async throws {
        try await withNodes(1) { nodes, bus in
            let peer = ClusterPeer(bus.node(9), try issuer(nodes[0]))
            let scalar = try ContactPeer.scalar()
            let listener = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            let (subject, _) = try target(bus, listener, label: 1)
            await listener.close()
            try await untilKnown(0, bus)
            let question = peer.seal(ClusterMessage.query.encoded, to: subject)
            let answering = bus.node(9).subscribe(to: subject) { delivery in
                let number = ClusterMessage.number(.init(number: 77, tie: 1))
                let reply = delivery.reply ?? ""
                delivery.answer?(peer.seal(number.encoded, to: reply, question: question.code).encoded)
            }
            let again = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await until { await dropped(nodes[0], .forged) == 1 }
            try await until { bus.count(of: subject) == 2 }
            answering.cancel()
            guard case .number(let registration) = try await peer.ask(.query, of: subject) else {
                throw ContactPeer.Unexpected()
            }
            #expect(registration.number == 1)
            peer.stop()
            await again.close()
        }
    }

    @Test("believe nothing that was held back for longer than a proof is good for, and renew it before")
    func heldBack() async throws {
        var times = Self.silent
        times.proof = .milliseconds(400)
        try await withNodes(1, times: times) { nodes, bus in
            let peer = ClusterPeer(bus.node(9), try issuer(nodes[0]))
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            let (subject, token) = try target(bus, listener, label: 9)
            try await peer.begin(1)
            let held = peer.seal(.labels([token.label]), to: subject)
            try await Task.sleep(for: times.proof)
            bus.send(held, to: subject)
            try await until { peer.proofs >= 2 }
            try await until {
                bus.send(held, to: subject)
                return await dropped(nodes[0], .replayed) >= 1
            }
            #expect(try !isListed(token, nodes[0]))
            // One that speaks is asked again before its time is over.
            try await until {
                peer.tell(.labels([token.label]), to: subject)
                return (try? isListed(token, nodes[0])) == true && peer.proofs >= 4
            }
            peer.stop()
            await listener.close()
        }
    }

    @Test("ask a bounded number of processes for a proof, however many have been recorded")
    func recordedProcesses() async throws {
        try await withNodes(1) { nodes, bus in
            let issuer = try issuer(nodes[0])
            let relay = nodes[0].relay
            for number in 0..<6_000 {
                let process = [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 0, count: 14)
                let envelope = ClusterEnvelope(
                    ClusterMessage.alive(number: 9).encoded, from: .init(process: process, counter: 3),
                    on: .init(subject: ClusterSubject.alive), by: issuer)
                bus.send(envelope.encoded, to: ClusterSubject.alive)
            }
            try await until { await dropped(nodes[0], .unproven) == 6_000 }
            let (asked, known) = try await relay.eventLoop.submit {
                (relay.cluster?.challenged.count ?? 0, relay.cluster?.processes.count ?? 0)
            }.get()
            #expect(asked <= 4_096)
            #expect(known == 0)
        }
    }

    @Test("believe each other at each step from one contact secret to the next")
    func rolling() async throws {
        let secrets = [5, 6].map { [UInt8](repeating: $0, count: ContactTokenIssuer.secretByteCount) }
        func issuer(of secret: [UInt8], previous: [UInt8]? = nil) throws -> ContactTokenIssuer {
            try ContactTokenIssuer(
                secret: SecretBytes(copying: secret.span), previous: previous.map { try issuer(of: $0) })
        }
        try await withNodes(secret: secrets[0]) { nodes, bus in
            func wakeAcross() async throws {
                for (waits, asks) in [(0, 1), (1, 0)] {
                    let listener = try await ContactPeer.listening(nodes[waits].port)
                    try await untilKnown(1, bus)
                    let client = try await client(nodes[asks], listener.contactIDs[0])
                    _ = try await listener.wakeAcknowledged()
                    #expect(try await client.answerHead().status == 101)
                    for peer in [client, listener.peer] { await peer.close() }
                    try await untilKnown(0, bus)
                }
            }
            try await wakeAcross()
            let steps = [
                try issuer(of: secrets[0], previous: secrets[1]), try issuer(of: secrets[1], previous: secrets[0]),
                try issuer(of: secrets[1]),
            ]
            for step in steps {
                for node in nodes {
                    try node.reload(contactTokens: step)
                    try await wakeAcross()
                }
            }
            for node in nodes { #expect(await dropped(node, .forged) == 0) }
        }
    }
}
