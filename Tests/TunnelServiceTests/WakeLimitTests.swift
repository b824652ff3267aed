import HybridProtocol
import NIOCore
import Testing

@testable import TunnelService

@Suite("The rates of wakes")
struct WakeLimitTests {
    private static func rate(_ burst: Int) -> TunnelService.Rate { .init(burst: burst, interval: .seconds(3600)) }

    private static let unknown: [UInt8] = [1]

    @Test("a contact ID wakes so often and no more, and another one of the same authenticator still does")
    func perContact() async throws {
        try await withContactService(limits: .generous { $0.wakesPerContact = Self.rate(3) }) { service in
            let listener = try await ContactPeer.listening(service.port, labels: [1, 2])
            let (one, two) = (listener.contactIDs[0], listener.contactIDs[1])
            async let answers = Self.storm(service.port, [one, one, one, one, two, one])
            for _ in 0..<4 { _ = try await listener.wakeAcknowledged() }
            #expect(try await answers == [101, 101, 101, 429, 101, 429])
            await listener.close()
        }
    }

    @Test("an authenticator is woken so often in all")
    func perAuthenticator() async throws {
        try await withContactService(limits: .generous { $0.wakesPerAuthenticator = Self.rate(3) }) { service in
            let listener = try await ContactPeer.listening(service.port, labels: [1, 2])
            let other = try await ContactPeer.listening(service.port, labels: [1])
            let (one, two) = (listener.contactIDs[0], listener.contactIDs[1])
            async let answers = Self.storm(service.port, [one, two, one, two, one, other.contactIDs[0]])
            for _ in 0..<3 { _ = try await listener.wakeAcknowledged() }
            _ = try await other.wakeAcknowledged()
            #expect(try await answers == [101, 101, 101, 429, 429, 101])
            await listener.close()
            await other.close()
        }
    }

    @Test("an address asks so often, known contacts or not; unknown contacts count against the address alone")
    func perAddress() async throws {
        let limits = TunnelService.Limits.generous {
            $0.contactsPerAddress = Self.rate(4)
            $0.wakesPerAuthenticator = Self.rate(1)
        }
        try await withContactService(limits: limits) { service in
            let listener = try await ContactPeer.listening(service.port, labels: [1, 2])
            let revoked = listener.contactIDs[1]
            try await listener.register([1])
            async let answers = Self.storm(
                service.port, [Self.unknown, revoked, revoked, listener.contactIDs[0], Self.unknown])
            _ = try await listener.wakeAcknowledged()
            #expect(try await answers == [410, 410, 410, 101, 429])
            await listener.close()
        }
    }

    /// The statuses of requests one after the other.
    private static func storm(_ port: Int, _ contactIDs: [[UInt8]]) async throws -> [Int] {
        var statuses: [Int] = []
        for contactID in contactIDs {
            let client = try await RawPeer.connect(port)
            let answer = try await client.shake(.contact(contactID))
            statuses.append(answer.status)
            if answer.status == 429 {
                #expect((3000...3600).contains(answer["Retry-After"].first.flatMap { Int($0) } ?? 0))
            }
            await client.close()
        }
        return statuses
    }
}

@Suite("A token bucket")
struct TokenBucketTests {
    private let rate = TunnelService.Rate(burst: 3, interval: .seconds(10))
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test("gives so many at once, then one each interval, and never more than so many")
    func fills() {
        var bucket = TokenBucket()
        for _ in 0..<3 { #expect(bucket.take(of: rate, at: start) == nil) }
        #expect(bucket.take(of: rate, at: start) == .seconds(10))
        #expect(bucket.take(of: rate, at: start + .seconds(4)) == .seconds(6))
        #expect(bucket.take(of: rate, at: start + .seconds(10)) == nil)
        #expect(bucket.take(of: rate, at: start + .seconds(19)) == .seconds(1))
        #expect(!bucket.isFull(at: start + .seconds(39)))
        #expect(bucket.isFull(at: start + .seconds(40)))
        for _ in 0..<3 { #expect(bucket.take(of: rate, at: start + .hours(24)) == nil) }
        #expect(bucket.take(of: rate, at: start + .hours(24)) == .seconds(10))
    }

    @Test("gives several or none")
    func several() {
        var bucket = TokenBucket()
        #expect(bucket.take(2, of: rate, at: start) == nil)
        #expect(bucket.take(2, of: rate, at: start) == .seconds(10))
        #expect(bucket.take(1, of: rate, at: start) == nil)
    }

    @Test("of each key is its own, and a crowd of keys does not grow without bound")
    func keys() {
        let buckets = TokenBuckets<Int>(TunnelService.Rate(burst: 1, interval: .seconds(10)))
        #expect(buckets.take(-1, at: start) == nil)
        for key in 0..<200_000 {
            #expect(buckets.take(key, at: start) == nil)
            // One that is used all the time is not forgotten because others are many.
            if key.isMultiple(of: 10_000) { #expect(buckets.take(-1, at: start) == .seconds(10)) }
        }
        #expect(buckets.count <= 2 * TokenBuckets<Int>.generationCount)
        #expect(buckets.take(199_999, at: start) == .seconds(10))
        #expect(buckets.take(199_999, at: start + .seconds(10)) == nil)
    }

    @Test("of each key is forgotten when it is full again")
    func forgetting() {
        let buckets = TokenBuckets<Int>(rate)
        for key in 0..<1_000 { #expect(buckets.take(key, at: start) == nil) }
        for key in 1_000..<1_010 { #expect(buckets.take(key, at: start + .seconds(30)) == nil) }
        #expect(buckets.take(0, at: start + .seconds(60)) == nil)
        #expect(buckets.count == 11)
    }
}
