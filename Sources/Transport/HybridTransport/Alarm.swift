internal import Synchronization

/// An alarm, set to one time limit at a time.
final class Alarm: Sendable {
    private struct Setting {
        let watch: Int
        let end: ContinuousClock.Instant
    }

    private let setting = Mutex<Setting?>(nil)
    private let rings: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    init() { (rings, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    deinit { stop() }

    /// Lets it ring after `limit` from now, and no more at the time that was set before.
    func set(_ limit: Duration) {
        stop()
        let end = ContinuousClock.now + limit
        let watch = Watchdog.shared.begin(until: end) { [feed] in feed.yield() }
        setting.withLock { $0 = Setting(watch: watch, end: end) }
    }

    /// True if its time is over. It may ring and be set anew in the same moment.
    var isDue: Bool { setting.withLock { $0.map { $0.end <= .now } ?? false } }

    /// Returns when it rings. For one task at a time.
    ///
    /// - Throws: `CancellationError`.
    func rings() async throws {
        for await _ in rings { return }
        throw CancellationError()
    }

    private func stop() {
        guard let setting = setting.withLock({ $0.take() }) else { return }
        _ = Watchdog.shared.end(setting.watch)
    }
}
