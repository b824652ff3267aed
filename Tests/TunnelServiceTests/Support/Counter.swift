import NIOConcurrencyHelpers

/// Counts up, and tells when it stands still.
final class Counter: Sendable {
    /// More than any connection may take from a sender whose messages are not read: 256 MiB.
    static let enough = 256 << 20

    private let value = NIOLockedValueBox(0)

    var count: Int { value.withLockedValue { $0 } }

    func add(_ count: Int) { value.withLockedValue { $0 += count } }

    /// Waits until nothing has been added for a while, and gives the count.
    func stall(after pause: Duration) async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(60)
        var last = -1
        while ContinuousClock.now < deadline {
            let now = count
            if now == last, now > 0 { return now }
            last = now
            try await Task.sleep(for: pause)
        }
        throw RawPeer.TimedOut(awaited: "the sender to be stopped")
    }
}
