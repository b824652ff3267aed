import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// The end of a session, after its one operation.
@Suite("A complete session", .timeLimit(.minutes(5)))
struct OneOperationTests {
    private static func offer(_ statuses: [UInt8] = [0]) -> (SessionOffer, Counter) {
        let counter = Counter()
        let offer = SessionOffer(getInfo: TestContext.getInfo) { _ in
            let number = counter.next()
            return [statuses[min(number, statuses.count) - 1]]
        }
        return (offer, counter)
    }

    @Test("serves no further request, and ends well", arguments: [0x01, 0x02] as [UInt8])
    func complete(command: UInt8) async {
        let context = TestContext()
        let (offer, counter) = Self.offer()
        let (client, authenticator, _) = await context.run(offer: offer) { connection in
            #expect(try await connection.send([command]) == [0])
            return try await connection.send([0x02])
        }
        #expect(client.failed(.peerClosed, before: .commandAnswered))
        #expect(authenticator.value == 1 && counter.count == 1)
        #expect(authenticator.notices == [.furtherRequest] && authenticator.stages.last == .closed)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("is none in which nothing but errors was answered, or other commands")
    func incomplete() async {
        let context = TestContext()
        let (offer, counter) = Self.offer([0x2e, 0x27, 0x00, 0x00, 0x00])
        let (client, authenticator, _) = await context.run(offer: offer) { connection in
            for command in [0x02, 0x01, 0x04, 0x0b] as [UInt8] { _ = try await connection.send([command]) }
            return try await connection.send([0x02])
        }
        #expect(client.value == [0])
        #expect(authenticator.value == 5 && counter.count == 5)
        #expect(authenticator.notices.isEmpty)
    }

    @Test("ends by itself if the client does not leave, later than an idle one")
    func departure() async throws {
        var limits = TimeLimits.generous
        limits.idle = .seconds(1)
        limits.departure = .seconds(4)
        let context = TestContext()
        let (offer, _) = Self.offer()
        let start = ContinuousClock.now
        let ending = try await context.authenticatorFacing(limits, offer: offer) { peer in
            try await peer.send([1, 0x02])
            _ = try await peer.receive()
            // Until the authenticator closes.
            while true { _ = try await peer.receive() }
        }
        #expect(ending.value == 1)
        #expect(ContinuousClock.now - start >= limits.departure)
    }
}

/// A count of requests.
private final class Counter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func next() -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }
}
