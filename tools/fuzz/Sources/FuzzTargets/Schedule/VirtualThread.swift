@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

/// Runs all tasks of the process on the thread that fuzzes, in an order that the input chooses, by a clock that jumps
/// to the next deadline whenever nothing else is left to do. So nobody sleeps, an input plays the same way every time,
/// and that something waits for ever is seen at once.
final class VirtualThread: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    // Unchecked: there is one thread, the fuzzer's own.

    /// In which order tasks that are ready run, and how long each step takes.
    struct Order: Sendable {
        /// 0: as they became ready. Otherwise where the order is drawn from.
        var seed: UInt32 = 0
        /// The advance of the clock with each step, in nanoseconds.
        var stepNanoseconds = 0
    }

    /// End of a run.
    enum Ending {
        /// Nothing is left to do, now or later.
        case idle
        /// More steps were made than allowed.
        case endless
    }

    /// The one of this process. It is in use from the first time that it is named, which must be before the first task.
    static let shared = {
        VirtualClock.now = 1_000 * VirtualClock.nanosecondsPerSecond
        _createExecutors(factory: Factory.self)
        return thread
    }()

    private static let thread = VirtualThread()

    private struct Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        static var defaultExecutor: any TaskExecutor { thread }
    }

    private struct Timer {
        let deadline: Int
        let job: UnownedJob
    }

    private var ready: [UnownedJob] = []
    private var timers: [Timer] = []
    private var order = Order()

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) { ready.append(UnownedJob(job)) }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
        guard let instant = instant as? ContinuousClock.Instant else { finding("a task sleeps by another clock") }
        let rest = ContinuousClock.now.duration(to: instant).components
        let nanoseconds = Int(rest.seconds) * VirtualClock.nanosecondsPerSecond + Int(rest.attoseconds / 1_000_000_000)
        timers.append(Timer(deadline: Self.now + nanoseconds, job: UnownedJob(job)))
    }

    /// Nanoseconds on the virtual clock.
    static var now: Int { VirtualClock.now ?? 0 }

    /// Runs a task and everything that comes of it, until nothing is left.
    func run(_ order: Order, atMost steps: Int, _ body: @escaping @Sendable () async -> Void) -> Ending {
        self.order = order
        Task.detached(operation: body)
        for _ in 0..<steps {
            if ready.isEmpty { advance() }
            guard !ready.isEmpty else { return .idle }
            runJob(next(), UnownedSerialExecutor.generic)
            VirtualClock.now = Self.now + order.stepNanoseconds
        }
        return .endless
    }

    /// Takes one of the tasks that are ready.
    private func next() -> UnownedJob {
        guard order.seed != 0 else { return ready.removeFirst() }
        // Marsaglia's xorshift.
        order.seed ^= order.seed << 13
        order.seed ^= order.seed >> 17
        order.seed ^= order.seed << 5
        return ready.remove(at: Int(order.seed) % ready.count)
    }

    /// Lets time go by until a task is ready.
    private func advance() {
        guard let deadline = timers.map(\.deadline).min() else { return }
        VirtualClock.now = max(Self.now, deadline)
        ready += timers.filter { $0.deadline <= Self.now }.map(\.job)
        timers.removeAll { $0.deadline <= Self.now }
    }
}

extension UnownedSerialExecutor {
    /// The executor of a task that is isolated to nothing: none at all.
    fileprivate static var generic: Self { unsafeBitCast((0, 0), to: Self.self) }
}

/// The runtime's own way to run a job, as its own global executor does.
@_silgen_name("swift_job_run")
private func runJob(_ job: UnownedJob, _ executor: UnownedSerialExecutor)
