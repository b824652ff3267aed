import HybridProtocol
import Testing

@testable import TunnelService

// Labels that an authenticator has added or revoked, of which the node where it waits may not have heard (TS-CON-53).
extension ClusterTests {
    /// Registers a label through a node, for its contact ID alone.
    private func contactID(of label: UInt8, _ scalar: [UInt8], through node: RunningTunnelService) async throws
        -> [UInt8]
    {
        let peer = try await ContactPeer.connect(node.port, scalar: scalar)
        try await peer.register([label], listens: false)
        await peer.close()
        return peer.contactIDs[0]
    }

    @Test("wake for a label that was added at another node")
    func addedLabel() async throws {
        try await withNodes { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let listener = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            let client = try await client(nodes[1], contactID(of: 2, scalar, through: nodes[1]))
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test(
        "have an authenticator register again before a client is told 410, wherever it comes to (TS-CON-53)",
        arguments: [(asked: 0, next: 0), (0, 1), (1, 0), (1, 1), (1, 2)], [true, false])
    func unheardLabel(nodes number: (asked: Int, next: Int), isRevoked: Bool) async throws {
        try await withNodes(3) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let before = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            bus.connect(false)
            let contactID = try await contactID(of: 2, scalar, through: nodes[1])
            bus.connect(true)
            let client = try await client(nodes[number.asked], contactID)
            #expect(try await before.peer.closeCode() == 1001)
            let after =
                isRevoked
                ? try await comingBack(to: nodes[number.next], scalar, until: client)
                : try await ContactPeer.listening(nodes[number.next].port, labels: [1, 2], scalar: scalar)
            if !isRevoked { _ = try await after.wakeAcknowledged() }
            #expect(try await client.answerHead().status == (isRevoked ? 410 : 101))
            for peer in [client, before.peer, after.peer] { await peer.close() }
        }
    }

    /// An authenticator that registers, and again whenever it is told to, until a client is answered.
    ///
    /// The time that a wake is on its way to another node makes its client a later one there than it is.
    private func comingBack(
        to node: RunningTunnelService, _ scalar: [UInt8], until client: RawPeer
    ) async throws -> ContactPeer {
        while true {
            let listener = try await ContactPeer.listening(node.port, scalar: scalar)
            try await until { client.receivedCount > 0 || listener.peer.receivedCount > 0 }
            if client.receivedCount > 0 { return listener }
            #expect(try await listener.peer.closeCode() == 1001)
            await listener.close()
        }
    }

    @Test("tell a client 410 after its authenticator has come once more, when its wake was long on its way")
    func lateWake() async throws {
        try await withNodes { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let contactID = try await contactID(of: 2, scalar, through: nodes[1])
            let start = ContinuousClock.now
            let client = try await client(nodes[0], contactID)
            try await until { bus.subjects.contains { $0.hasPrefix("hybrid.waiting.") } }
            bus.holdRequests(true)
            let early = try await ContactPeer.listening(nodes[1].port, scalar: scalar)
            try await until { bus.heldCount > 0 }
            let held = ContinuousClock.now
            try await until { ContinuousClock.now - held > held - start }
            bus.holdRequests(false)
            #expect(try await early.peer.closeCode() == 1001)
            let late = try await comingBack(to: nodes[1], scalar, until: client)
            #expect(try await client.answerHead().status == 410)
            for peer in [client, early.peer, late.peer] { await peer.close() }
        }
    }

    @Test("are told that an authenticator is away by the node that it has just left, and ask again when it is back")
    func wakeAfterLeaving() async throws {
        try await withNodes(limits: .generous { $0.contactHold = .seconds(3_600) }) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let before = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            bus.holdRequests(true)
            let client = try await client(nodes[1], before.contactIDs[0])
            try await until { bus.heldCount == 1 }
            await before.close()
            try await untilKnown(0, bus)
            bus.holdRequests(false)
            let after = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            _ = try await after.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, after.peer] { await peer.close() }
        }
    }

    @Test("that cannot reach each other have an authenticator register again, too")
    func unheardLabelCutOff() async throws {
        try await withNodes { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let before = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            bus.connect(false)
            let client = try await client(nodes[0], contactID(of: 2, scalar, through: nodes[1]))
            #expect(try await before.peer.closeCode() == 1001)
            let after = try await ContactPeer.listening(nodes[0].port, labels: [1, 2], scalar: scalar)
            _ = try await after.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, before.peer, after.peer] { await peer.close() }
        }
    }

    @Test("believe no list of labels that may be older than the link: of a registration under way when a client asks")
    func registrationUnderWay() async throws {
        try await withNodes { nodes, _ in
            let scalar = try ContactPeer.scalar()
            // Challenged, and late.
            let listener = try await ContactPeer.connect(nodes[0].port, scalar: scalar)
            let client = try await client(nodes[0], contactID(of: 2, scalar, through: nodes[1]))
            try await until { nodes[0].waitingContactCount == 1 }
            try await listener.register([1])
            try await listener.register([1, 2])
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("let one contact have its authenticator register again so often, and then wait for a label to be told")
    func boundedRenewals() async throws {
        try await withNodes(limits: .generous { $0.wakesPerContact.burst = 1 }) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            var listener = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            bus.connect(false)
            let contactID = try await contactID(of: 2, scalar, through: nodes[1])
            for _ in 0..<3 {
                let client = try await client(nodes[0], contactID)
                #expect(try await listener.peer.closeCode() == 1001)
                await listener.close()
                listener = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
                #expect(try await client.answerHead().status == 410)
                await client.close()
            }
            let client = try await client(nodes[0], contactID)
            try await until { nodes[0].waitingContactCount == 1 }
            _ = try await self.contactID(of: 2, scalar, through: nodes[0])
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("tell a node that does not tell when its client asked that an authenticator is away")
    func olderNode() async throws {
        try await withNodes(1) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let listener = try await ContactPeer.listening(nodes[0].port, labels: [1, 2], scalar: scalar)
            let contactIDs = listener.contactIDs
            try await untilKnown(1, bus)
            try await listener.register([1])
            let subject = try #require(bus.subjects.first { $0.hasPrefix("hybrid.authenticator.") })
            let peer = ClusterPeer(bus.node(1), try issuer(nodes[0]))
            try await peer.begin(1)
            func outcome(_ contactID: [UInt8]) async throws -> ClusterMessage? {
                let wake = ServiceMessage.Wake(
                    contactID: contactID, tunnelID: .init(repeating: 1, count: 16), routingID: [0, 0, 2],
                    clientPayload: [0xA0])
                return try await peer.ask(.wake(wake, milliseconds: nil), of: subject)
            }
            #expect(try await outcome(contactIDs[1]) == .outcome(.away, seconds: 0))
            // It still waits.
            async let woken = outcome(contactIDs[0])
            _ = try await listener.wakeAcknowledged()
            #expect(try await woken == .outcome(.acknowledged, seconds: 0))
            peer.stop()
            await listener.close()
        }
    }

    @Test("ask again for an authenticator that leaves while its client waits for it to acknowledge", arguments: [0, 1])
    func leavesUnacknowledged(asked: Int) async throws {
        try await withNodes(3, limits: .generous { $0.contactHold = .seconds(3_600) }) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            let before = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            let client = try await client(nodes[asked], before.contactIDs[0])
            let wake = try await before.wake()
            await before.close()
            try await until { bus.subjects.contains { $0.hasPrefix("hybrid.waiting.") } }
            let after = try await ContactPeer.listening(nodes[2].port, scalar: scalar)
            #expect(try await after.wakeAcknowledged().tunnelID == wake.tunnelID)
            #expect(try await client.answerHead().status == 101)
            for peer in [client, after.peer] { await peer.close() }
        }
    }
}
