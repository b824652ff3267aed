internal import CFuzzCost
internal import Glibc

/// Cost of an execution.
package struct FuzzCost: Sendable {
    /// Something that is counted.
    package enum Kind: String, CaseIterable, Sendable {
        /// Bytes that were asked of the allocator, all together.
        case allocated
        /// Most bytes that were held at one time.
        case held
        /// Nanoseconds of a processor.
        case time
    }

    private var counted: [Int]

    package subscript(kind: Kind) -> Int {
        switch kind {
        case .allocated: counted[0]
        case .held: counted[1]
        case .time: counted[2]
        }
    }

    /// Measures the calling thread while `body` runs.
    init(of body: () -> Void) {
        let begun = Self.processorTime()
        fuzz_cost_begin()
        body()
        let cost = fuzz_cost_end()
        counted = [cost.allocated, cost.held, Self.processorTime() - begun]
    }

    /// Takes whatever is less in another execution.
    mutating func lower(to other: Self) {
        counted = zip(counted, other.counted).map { min($0, $1) }
    }

    private static func processorTime() -> Int {
        var time = timespec()
        _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * VirtualClock.nanosecondsPerSecond + time.tv_nsec
    }
}
