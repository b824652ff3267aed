import Cryptography
import Encodings
import HybridProtocol
import NIOCore
import Testing

@testable import TunnelService

@Suite("Nodes of one service (TS-CON-43)")
struct ClusterTests {
    /// Times in which no node tells that it goes on, but at its start.
    static let silent: ClusterTimes = {
        var times = ClusterTimes()
        times.alive = .seconds(3_600)
        return times
    }()

    /// Nodes of one service on a bus of their own, for the time of a test.
    func withNodes(
        _ count: Int = 2, limits: TunnelService.Limits = .generous { _ in }, times: ClusterTimes = silent,
        secret: [UInt8] = (0..<32).map { _ in .random(in: 0...UInt8.max) },
        _ body: ([RunningTunnelService], MemoryBus) async throws -> Void
    ) async throws {
        let bus = MemoryBus()
        let issuer = try ContactTokenIssuer(secret: SecretBytes(copying: secret.span))
        var nodes: [RunningTunnelService] = []
        for number in 0..<count {
            var configuration = try configuration(number, bus, issuer, limits)
            configuration.clusterTimes = times
            nodes.append(try await TunnelService(configuration: configuration).start())
        }
        let outcome = await Result.catching {
            for node in nodes { try await untilKnown(count - 1, to: node) }
            try await body(nodes, bus)
        }
        for node in nodes { await node.shutdown() }
        #expect(bus.subjects.isEmpty, "\(bus.subjects)")
        try outcome.get()
    }

    /// Waits until a node believes so many other processes.
    func untilKnown(_ count: Int, to node: RunningTunnelService) async throws {
        let relay = node.relay
        try await until {
            let known = relay.eventLoop.submit { relay.cluster?.processes.count }
            return (try? await known.get()) == count
        }
    }

    func issuer(_ node: RunningTunnelService) throws -> ContactTokenIssuer { try #require(node.relay.contacts).issuer }

    func configuration(
        _ number: Int, _ bus: MemoryBus, _ issuer: ContactTokenIssuer, _ limits: TunnelService.Limits
    ) throws -> TunnelService.Configuration {
        var configuration = TunnelService.Configuration(
            security: .plain, routingID: try RoutingID([0, 0, UInt8(number + 1)]), hostNames: [Handshake.host],
            contactTokens: issuer, admin: .tcp(host: "127.0.0.1", port: 0), limits: limits)
        configuration.bus = bus.node(number)
        return configuration
    }

    func client(_ node: RunningTunnelService, _ contactID: [UInt8]) async throws -> RawPeer {
        let peer = try await RawPeer.connect(node.port)
        try await peer.send(Handshake.contact(contactID).text)
        return peer
    }

    /// Waits until the other nodes know of so many authenticators.
    func untilKnown(_ count: Int, _ bus: MemoryBus) async throws {
        try await until { bus.subjects.count { $0.hasPrefix("hybrid.authenticator.") } == count }
    }

    func page(_ path: String, _ node: RunningTunnelService) async throws -> String {
        let peer = try await RawPeer.connect(try #require(node.adminPort))
        try await peer.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = try await peer.lastAnswer()
        await peer.close()
        return answer.body
    }

    @Test("wake an authenticator for each other, and it joins at the node of its client (TS-CON-45)")
    func wake() async throws {
        try await withNodes { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port, labels: [7])
            try await untilKnown(1, bus)
            let client = try await client(nodes[1], listener.contactIDs[0])
            let wake = try await listener.wakeAcknowledged()
            #expect(wake.routingID == [0, 0, 2])
            #expect(Hexadecimal.encode(wake.clientPayload) == Handshake.payload)
            #expect(try await client.answerHead().status == 101)
            let wrong = try await RawPeer.connect(nodes[0].port)
            try await wrong.send(wake.join.text)
            #expect(try await wrong.lastAnswer().body == "the routing ID is that of another node\n")
            let authenticator = try await RawPeer.connect(nodes[1].port)
            #expect(try await authenticator.shake(wake.join).status == 101)
            #expect(try await client.message() == [0])
            try await authenticator.send(WireFrame(payload: [2]))
            #expect(try await client.message() == [2])
            #expect(try await page("/metrics", nodes[1]).contains("tunnel_service_cluster_wakes_total 1\n"))
            for peer in [client, authenticator, wrong, listener.peer] { await peer.close() }
        }
    }

    @Test(
        "tell a client that its authenticator has declined, before or after it has acknowledged",
        arguments: [false, true])
    func declined(acknowledgesFirst: Bool) async throws {
        try await withNodes { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            let client = try await client(nodes[1], listener.contactIDs[0])
            let wake = try await acknowledgesFirst ? listener.wakeAcknowledged() : listener.wake()
            if acknowledgesFirst { #expect(try await client.answerHead().status == 101) }
            try await listener.send(.decline(tunnelID: wake.tunnelID))
            if acknowledgesFirst {
                #expect(try await client.closeCode() == 1000)
            } else {
                #expect(try await client.answerHead().status == 503)
            }
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("wake an authenticator that comes to any of them while its client waits")
    func comesLater() async throws {
        try await withNodes(3) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let before = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            await before.close()
            try await until { nodes[0].listenerCount == 0 && bus.subjects.allSatisfy { !$0.contains("authent") } }
            let client = try await client(nodes[1], before.contactIDs[0])
            try await until { bus.subjects.contains { $0.hasPrefix("hybrid.waiting.") } }
            let listener = try await ContactPeer.listening(nodes[2].port, scalar: scalar)
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            #expect(!bus.subjects.contains { $0.hasPrefix("hybrid.waiting.") })
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("end an older connection of an authenticator, wherever the newer one is (TS-CON-46)")
    func replaced() async throws {
        try await withNodes(3) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            var older = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            for number in [1, 2, 0, 0, 1] {
                try await untilKnown(1, bus)
                let newer = try await ContactPeer.listening(nodes[number].port, scalar: scalar)
                #expect(try await older.peer.closeCode() == 4409)
                await older.close()
                older = newer
            }
            try await until { nodes.map(\.listenerCount) == [0, 1, 0] }
            let client = try await client(nodes[2], older.contactIDs[0])
            _ = try await older.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, older.peer] { await peer.close() }
        }
    }

    @Test("keep one of two connections that register at the same time, and have the other one come again (TS-CON-47)")
    func race() async throws {
        var times = Self.silent
        // A busy machine takes its time between the two.
        times.agreement = .seconds(3_600)
        times.query = .seconds(3_600)
        try await withNodes(times: times) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            bus.holdAnswers(true)
            let peers = [
                try await ContactPeer.listening(nodes[0].port, scalar: scalar),
                try await ContactPeer.listening(nodes[1].port, scalar: scalar),
            ]
            try await until { bus.heldCount == 2 }
            bus.holdAnswers(false)
            try await until { nodes[0].listenerCount + nodes[1].listenerCount == 1 }
            let loser = nodes[0].listenerCount == 0 ? 0 : 1
            let code = try await peers[loser].peer.closeCode()
            #expect(code == 1001)
            for peer in peers { await peer.close() }
        }
    }

    @Test("count on from the greatest number of a registration that a node may tell")
    func greatestNumber() async throws {
        try await withNodes(1) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let first = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            let subject = try #require(bus.subjects.first { $0.hasPrefix("hybrid.authenticator.") })
            await first.close()
            try await untilKnown(0, bus)
            let other = ClusterPeer(bus.node(1), try issuer(nodes[0]))
            let subscription = bus.node(1).subscribe(to: subject) {
                other.answer($0, .number(.init(number: ClusterMessage.maximumNumber, tie: 0)))
            }
            var older = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            for _ in 0..<3 {
                let newer = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
                #expect(try await older.peer.closeCode() == 4409)
                await older.close()
                older = newer
            }
            subscription.cancel()
            other.stop()
            await older.close()
        }
    }

    @Test("limit the wakes of one contact together (TS-CON-48)")
    func limits() async throws {
        let limits = TunnelService.Limits.generous { $0.wakesPerContact = .init(burst: 2, interval: .seconds(3_600)) }
        try await withNodes(3, limits: limits) { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            var peers: [RawPeer] = []
            for node in nodes.prefix(2) {
                let client = try await client(node, listener.contactIDs[0])
                _ = try await listener.wakeAcknowledged()
                #expect(try await client.answerHead().status == 101)
                peers.append(client)
            }
            let third = try await client(nodes[2], listener.contactIDs[0])
            let refused = try await third.answerHead()
            #expect(refused.status == 429)
            #expect(refused["Retry-After"].first.flatMap { Int($0) }.map { $0 > 3_000 } == true)
            for peer in peers + [third, listener.peer] { await peer.close() }
        }
    }

    @Test("cannot have the same routing ID (TS-CON-50)")
    func routingIDTaken() async throws {
        try await withNodes { nodes, bus in
            var configuration = try configuration(1, bus, issuer(nodes[0]), .generous)
            configuration.bus = bus.node(9)
            await #expect(throws: TunnelServiceError(.routingIDTaken, reason: "")) {
                try await TunnelService(configuration: configuration).start()
            }
        }
    }

    @Test("that cannot reach each other say so, wake their own authenticators, and others when they can again")
    func cutOff() async throws {
        try await withNodes { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            bus.connect(false)
            #expect(
                try await page("/readyz", nodes[1])
                    == "ready; other nodes cannot be reached: authenticators that wait there cannot be woken from here\n"
            )
            #expect(try await page("/metrics", nodes[1]).contains("tunnel_service_cluster_connected 0\n"))
            let own = try await client(nodes[0], listener.contactIDs[0])
            _ = try await listener.wakeAcknowledged()
            #expect(try await own.answerHead().status == 101)
            let other = try await client(nodes[1], listener.contactIDs[0])
            try await until { nodes[1].waitingContactCount == 1 }
            bus.connect(true)
            _ = try await listener.wakeAcknowledged()
            #expect(try await other.answerHead().status == 101)
            #expect(try await page("/readyz", nodes[1]) == "ready\n")
            for peer in [own, other, listener.peer] { await peer.close() }
        }
    }

    @Test("that cannot reach each other tell a client 503 when the hold is over (TS-CON-49)")
    func temporary() async throws {
        try await withNodes(limits: .generous { $0.contactHold = .milliseconds(500) }) { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            bus.connect(false)
            let client = try await client(nodes[1], listener.contactIDs[0])
            let answer = try await client.answerHead()
            #expect(answer.status == 503)
            #expect(answer["Retry-After"] == ["10"])
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("drop and count what they cannot read, and wake nobody for a forged wake (TS-CON-44)")
    func hostile() async throws {
        try await withNodes { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            let subject = try #require(bus.subjects.first { $0.hasPrefix("hybrid.authenticator.") })
            let wake = { (contactID: [UInt8]) in
                ClusterMessage.wake(
                    .init(
                        contactID: contactID, tunnelID: .init(repeating: 1, count: 16), routingID: [0, 0, 2],
                        clientPayload: [0xA0]),
                    milliseconds: 0)
            }
            var forged = listener.contactIDs[0]
            forged[40] ^= 1
            // A node that errs, and is believed.
            let peer = ClusterPeer(bus.node(9), try issuer(nodes[0]))
            try await peer.begin(2)
            let messages: [ClusterMessage] = [
                .outcome(.acknowledged, seconds: 0), .returned, .alive(number: 2), .response(number: 2), wake(forged),
                wake([1]),
            ]
            // A map {1: 99}.
            let contents = messages.map(\.encoded) + [[], [0xFF], [0xA1, 0x01, 0x18, 99]]
            let numbers: [ClusterMessage] = [.max, ClusterMessage.maximumNumber + 1].map {
                .registered(.init(number: $0, tie: 0), milliseconds: nil, replacing: nil)
            }
            var unreadable = (contents + numbers.map(\.encoded)).map {
                peer.seal($0, to: subject, reply: "answer").encoded
            }
            let own = peer.seal(wake(listener.contactIDs[0]), to: subject)
            unreadable += [
                [], [0xFF], [0xA0], [0x80], .init(repeating: 0x81, count: 9_000), own + [0], own.dropLast(),
            ]
            for message in unreadable {
                bus.send(message, to: subject, reply: "answer") { _ in Issue.record("answered") }
            }
            // Without somebody to answer.
            bus.send(own, to: subject)
            // {0: 1, 1: 3}: the version before.
            bus.send([0xA2, 0x00, 0x01, 0x01, 0x03], to: subject) { _ in Issue.record("answered") }
            for subject in ["hybrid.declined", "hybrid.alive", "hybrid.node.000001"] { bus.send([0], to: subject) }
            peer.tell(.declined(tunnelID: .init(repeating: 9, count: 16)), to: "hybrid.declined")
            peer.stop()
            try await until {
                let text = (try? await page("/metrics", nodes[0])) ?? ""
                // With the messages to the other three subjects, and the wake without somebody to answer.
                return text.contains("dropped_total{reason=\"malformed\"} \(unreadable.count + 4)\n")
                    && text.contains("dropped_total{reason=\"version\"} 1\n")
            }
            // It was not woken before.
            let client = try await client(nodes[1], listener.contactIDs[0])
            #expect(try await listener.wakeAcknowledged().tunnelID != .init(repeating: 1, count: 16))
            #expect(try await client.answerHead().status == 101)
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test(
        "read their messages as they were written, and pass over keys that they do not know",
        arguments: [
            .wake(
                .init(
                    contactID: [1, 2], tunnelID: .init(repeating: 3, count: 16), routingID: [1, 2, 3],
                    clientPayload: [4]),
                milliseconds: nil),
            .wake(
                .init(
                    contactID: [1], tunnelID: .init(repeating: 3, count: 16), routingID: [1, 2, 3], clientPayload: [4]),
                milliseconds: .max),
            .outcome(.limited, seconds: 17), .query, .number(.init(number: 1 << 40, tie: 2)),
            .registered(.init(number: 3, tie: .max), milliseconds: nil, replacing: .max),
            .registered(.init(number: 3, tie: 0), milliseconds: .max, replacing: nil),
            .labels([]), .returned, .declined(tunnelID: .init(repeating: 5, count: 16)),
            .present, .alive(number: .max), .challenge(missed: true), .response(number: 7),
        ] as [ClusterMessage])
    func messages(_ message: ClusterMessage) throws {
        #expect(try ClusterMessage(decoding: message.encoded) == message)
        // One more entry, 23: 0, which is the last one in the canonical order.
        var longer = message.encoded
        longer[0] += 1
        longer += [23, 0]
        #expect(try ClusterMessage(decoding: longer) == message)
    }
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
