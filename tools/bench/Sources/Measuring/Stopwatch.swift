internal import Glibc

/// Adds up the processor time that this thread spends between starts and stops.
///
/// Processor time, not the time of day: other programs on the machine are not in it.
public struct Stopwatch {
    private var started: UInt64?
    /// Nanoseconds so far.
    public private(set) var nanoseconds: UInt64 = 0

    /// Makes a stopwatch that stands still.
    public init() {}

    /// Begins to count.
    public mutating func start() { started = Self.now() }

    /// Stops counting.
    public mutating func stop() {
        guard let started else { return }
        nanoseconds += Self.now() - started
        self.started = nil
    }

    /// Counts the time of `body`.
    public mutating func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        start()
        defer { stop() }
        try body()
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * nanosecondsPerSecond + UInt64(time.tv_nsec)
    }
}

/// The number of nanoseconds in a second.
public let nanosecondsPerSecond: UInt64 = 1_000_000_000
