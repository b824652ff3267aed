import Synchronization

/// A clock on which time passes only where somebody sleeps, and then at once.
public final class JumpingClock: Clock, Sendable {
    /// A time, since the clock was made.
    public struct Instant: InstantProtocol {
        let offset: Duration

        /// The time after it.
        public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        /// The time between two.
        public func duration(to other: Self) -> Duration { other.offset - offset }
        /// True if the first is earlier.
        public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private let offset = Mutex(Duration.zero)

    /// Makes a clock that shows zero.
    public init() {}

    /// The time.
    public var now: Instant { Instant(offset: offset.withLock { $0 }) }
    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Lets the time pass.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        await Task.yield()
        try Task.checkCancellation()
        offset.withLock { $0 = max($0, deadline.offset) }
    }
}
