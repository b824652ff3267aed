internal import Synchronization

/// The deadline of what a session waits for at this moment.
final class Deadline: Sendable {
    private struct Setting {
        let watch: Int
        let end: ContinuousClock.Instant
    }

    private let setting = Mutex<Setting?>(nil)
    private let passings: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    init() { (passings, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    deinit { stop() }

    /// Sets it to `limit` from now, in place of what was set before.
    func set(_ limit: Duration) {
        stop()
        let end = ContinuousClock.now + limit
        let watch = Watchdog.shared.schedule(at: end) { [feed] in feed.yield() }
        setting.withLock { $0 = Setting(watch: watch, end: end) }
    }

    /// True if it has passed. It may pass and be set anew in the same moment.
    var isPassed: Bool { setting.withLock { $0.map { $0.end <= .now } ?? false } }

    /// Returns when it has passed, unless it is set anew in the same moment. For one task at a time.
    ///
    /// - Throws: `CancellationError`.
    func passes() async throws {
        for await _ in passings { return }
        throw CancellationError()
    }

    private func stop() {
        guard let setting = setting.withLock({ $0.take() }) else { return }
        _ = Watchdog.shared.cancel(setting.watch)
    }
}
