import HybridProtocol
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import TunnelService

// Nodes that could not hear each other for a while, without a change of their own connections (TS-CON-51, TS-CON-52).
extension ClusterTests {
    private static let quick: ClusterTimes = {
        var times = ClusterTimes()
        times.alive = .milliseconds(20)
        times.rest = .milliseconds(20)
        times.agreement = .zero
        return times
    }()

    private func gaps(_ node: RunningTunnelService) async throws -> Int {
        let line = try await page("/metrics", node).split(separator: "\n").first { line in
            line.hasPrefix("tunnel_service_cluster_gaps_total ")
        }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    /// Waits until a node has made its own announcements of so many authenticators.
    private func untilAnnounced(_ count: Int, _ node: RunningTunnelService, _ bus: MemoryBus) async throws {
        try await untilKnown(count, bus)
        // It tells in the same turn of its event loop, which serves its pages too.
        _ = try await gaps(node)
    }

    @Test(
        "keep exactly the newer registration after a split, of whichever number (TS-CON-47)", arguments: [true, false],
        [0, 3])
    func split(isNoticed: Bool, moves: Int) async throws {
        try await withNodes(3, times: Self.quick) { nodes, bus in
            let scalar = try ContactPeer.scalar()
            var older = try await ContactPeer.listening(nodes[0].port, scalar: scalar)
            try await untilKnown(1, bus)
            // Each has a greater number than the one before.
            for move in 0..<moves {
                let next = try await ContactPeer.listening(nodes[move % 2].port, scalar: scalar)
                #expect(try await older.peer.closeCode() == 4409)
                await older.close()
                try await untilKnown(1, bus)
                older = next
            }
            bus.split([2], isNoticed: isNoticed)
            let newer = try await ContactPeer.listening(nodes[2].port, scalar: scalar)
            try await until { nodes[2].listenerCount == 1 }
            #expect(nodes.map(\.listenerCount).reduce(0, +) == 2)
            try await until { bus.unheard.contains(2) }
            bus.split([])
            // It may not come back only if that is certain, and numbers counted apart are not.
            #expect(try await older.peer.closeCode() == 1001)
            try await until { nodes.map(\.listenerCount) == [0, 0, 1] }
            let client = try await client(nodes[1], newer.contactIDs[0])
            _ = try await newer.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, older.peer, newer.peer] { await peer.close() }
        }
    }

    @Test("ask again for an authenticator when they can hear each other again", arguments: [true, false])
    func wakeAfterSplit(isNoticed: Bool) async throws {
        try await withNodes(times: Self.quick) { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            bus.split([1], isNoticed: isNoticed)
            let client = try await client(nodes[1], listener.contactIDs[0])
            try await until { nodes[1].waitingContactCount == 1 }
            // A split in which no such message is lost is not noticed.
            try await until { bus.unheard == [0, 1] }
            bus.split([])
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("count a wake once that is asked for again, and tell its authenticator once")
    func askedAgain() async throws {
        var times = Self.quick
        times.alive = .seconds(3_600)
        // For each of the two clients one more: it may be asked for again while its answer is on the way.
        let limits = TunnelService.Limits.generous { $0.wakesPerContact = .init(burst: 4, interval: .seconds(3_600)) }
        try await withNodes(limits: limits, times: times) { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilKnown(1, bus)
            var wake: ServiceMessage.Wake?
            let peer = ClusterPeer(bus.node(9), try issuer(nodes[0]))
            try await peer.begin(2)
            for number in 0..<2 as Range<UInt64> {
                let client = try await client(nodes[1], listener.contactIDs[0])
                // The first client's wake may come once more, if it was asked for again as it was acknowledged.
                let last = wake?.tunnelID
                repeat { wake = try await listener.wake() } while wake?.tunnelID == last
                let tunnelID = try #require(wake?.tunnelID)
                for gap in 2..<5 as Range<UInt64> {
                    let before = try await gaps(nodes[1])
                    peer.tellAlive(100 * number + 10 * gap)
                    try await until { (try? await gaps(nodes[1])) == before + 1 }
                }
                try await listener.send(.acknowledge(tunnelID: tunnelID))
                #expect(try await client.answerHead().status == 101)
                await client.close()
            }
            peer.stop()
            await listener.close()
        }
    }

    @Test("announce who waits when something of a process did not come, and only then (TS-CON-52)")
    func gap() async throws {
        var times = Self.quick
        times.alive = .seconds(3_600)
        try await withNodes(1, times: times) { nodes, bus in
            let peers = [
                try await ContactPeer.listening(nodes[0].port), try await ContactPeer.listening(nodes[0].port),
            ]
            try await untilAnnounced(2, nodes[0], bus)
            let announced = NIOLockedValueBox(0)
            let subscriptions = bus.subjects.filter { $0.hasPrefix("hybrid.authenticator.") }.map { subject in
                bus.node(9).subscribe(to: subject) { _ in announced.withLockedValue { $0 += 1 } }
            }
            var expected = (gaps: 0, announced: 0)
            let issuer = try issuer(nodes[0])
            let processes = (0..<3).map { ClusterPeer(bus.node(10 + $0), issuer) }
            func tell(_ numbers: [UInt64], of process: Int, gaps count: Int) async throws {
                let process = processes[process - 1]
                for number in numbers {
                    process.tellAlive(number)
                    // The first one is not believed before its proof, which has the number too.
                    try await until { process.proofs == 1 }
                }
                expected = (expected.gaps + count, expected.announced + 2 * count)
                try await until {
                    (try? await gaps(nodes[0])) == expected.gaps
                        && announced.withLockedValue { $0 } >= expected.announced
                }
                // Any announcement too many would be made before the next page is served.
                _ = try await gaps(nodes[0])
                let count = announced.withLockedValue { $0 }
                #expect(count == expected.announced)
            }
            // One that has just begun: nothing is missing.
            try await tell([1, 2, 3], of: 1, gaps: 0)
            try await tell([5], of: 1, gaps: 1)
            try await tell([6, 7], of: 1, gaps: 0)
            // It is started again: another process.
            try await tell([1, 2], of: 2, gaps: 0)
            // One that was there before it was heard.
            try await tell([9], of: 3, gaps: 1)
            // One that errs.
            try await tell([.max], of: 2, gaps: 1)
            try await tell([3], of: 2, gaps: 1)
            try await tell([.max], of: 2, gaps: 1)
            try await tell([0, 1], of: 2, gaps: 0)
            for subscription in subscriptions { subscription.cancel() }
            for process in processes { process.stop() }
            for peer in peers { await peer.close() }
        }
    }

    @Test("announce who waits at a bounded rate, however many messages one of them says to have sent")
    func gapsWithoutEnd() async throws {
        let begin = ContinuousClock.now
        try await withNodes { nodes, bus in
            let listener = try await ContactPeer.listening(nodes[0].port)
            try await untilAnnounced(1, nodes[0], bus)
            let announced = NIOLockedValueBox(0)
            let subject = try #require(bus.subjects.first { $0.hasPrefix("hybrid.authenticator.") })
            let subscription = bus.node(9).subscribe(to: subject) { _ in announced.withLockedValue { $0 += 1 } }
            let peer = ClusterPeer(bus.node(8), try issuer(nodes[0]))
            try await peer.begin(2)
            for number in 1...10_000 as ClosedRange<UInt64> { peer.tellAlive(7 * number) }
            peer.stop()
            try await until { (try? await gaps(nodes[0])).map { $0 >= 10_000 } == true }
            let client = try await client(nodes[1], listener.contactIDs[0])
            _ = try await listener.wakeAcknowledged()
            #expect(try await client.answerHead().status == 101)
            let runs = Double(announced.withLockedValue { $0 })
            #expect(runs >= 1)
            // The wake is one message more.
            #expect(runs <= 2 + (ContinuousClock.now - begin) / ClusterTimes().rest)
            subscription.cancel()
            for peer in [client, listener.peer] { await peer.close() }
        }
    }

    @Test("announce all of many who wait, also those that came first, while more is missing")
    func many() async throws {
        var times = Self.quick
        times.alive = .seconds(3_600)
        try await withNodes(1, times: times) { nodes, bus in
            var peers: [ContactPeer] = []
            for _ in 0..<60 { peers.append(try await ContactPeer.listening(nodes[0].port)) }
            try await untilAnnounced(60, nodes[0], bus)
            let announced = NIOLockedValueBox<[String: Int]>([:])
            let subscriptions = bus.subjects.filter { $0.hasPrefix("hybrid.authenticator.") }.map { subject in
                bus.node(9).subscribe(to: subject) { _ in announced.withLockedValue { $0[subject, default: 0] += 1 } }
            }
            let peer = ClusterPeer(bus.node(8), try issuer(nodes[0]))
            try await peer.begin(1)
            for number in [5, 7] as [UInt64] { peer.tellAlive(number) }
            peer.stop()
            try await until { announced.withLockedValue { $0.count == 60 && $0.values.allSatisfy { $0 == 2 } } }
            for subscription in subscriptions { subscription.cancel() }
            for peer in peers { await peer.close() }
        }
    }

    @Test("remember a bounded number of processes, those that are heard first of all")
    func processes() {
        var processes = ClusterProcesses()
        let known: [UInt8] = [1]
        var counter: UInt64 = 7
        let now = NIODeadline.now()
        var proof = processes.prove(.init(process: known, counter: counter), number: 1, asked: now)
        #expect(proof == .begun)
        for other in 0..<20_000 {
            proof = processes.prove(.init(process: Array("\(other)".utf8), counter: 9), number: 2, asked: now)
            #expect(proof == .unheard)
            if other % 1_000 == 0 {
                counter += 3
                let standing = processes.take(.init(process: known, counter: counter), at: now, for: .seconds(300))
                #expect(standing == .new)
            }
            #expect(processes.count <= 2 * ClusterProcesses.generationCount)
        }
        let standing = processes.take(.init(process: Array("0".utf8), counter: 10), at: now, for: .seconds(300))
        #expect(standing == .unproven)
    }
}
