internal import Edges
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A wait for a socket to become readable or writable, on a thread that lives as long as the wait: for connecting and
/// accepting, which happen once.
enum L2CAPWait {
    /// Waits.
    ///
    /// - Parameters:
    ///   - events: of `poll`.
    ///   - socket: whose.
    ///   - bell: ends the wait when it rings.
    ///   - limit: how long; nil for as long as it takes.
    /// - Throws: ``DataChannelError`` with `closed` if the bell rang, `cancelled`, `timeout`.
    static func wait(
        for events: Int32, of socket: L2CAPSocket, or bell: Bell, atMost limit: Duration? = nil
    ) async throws(DataChannelError) {
        let isCancelled = Atomic(false)
        let deadline = limit.map { ContinuousClock.now + $0 }
        let woken = try Bell()
        let outcome: Result<Void, DataChannelError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isStarted = PollThread.start {
                    continuation.resume(returning: poll(events, socket, bell, woken, deadline))
                }
                if !isStarted { continuation.resume(returning: .failure(.noThread)) }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
            woken.ring()
        }
        if isCancelled.load(ordering: .relaxed) { throw DataChannelError(.cancelled, reason: "cancelled") }
        try outcome.get()
    }

    private static func poll(
        _ events: Int32, _ socket: L2CAPSocket, _ bell: Bell, _ woken: Bell, _ deadline: ContinuousClock.Instant?
    ) -> Result<Void, DataChannelError> {
        while true {
            let rest = deadline.map { $0 - .now }
            if let rest, rest <= .zero {
                return .failure(DataChannelError(.timeout, reason: "the other device did not answer in time"))
            }
            let ready = PollThread.poll(
                [(socket.file, events), (bell.file, POLLIN), (woken.file, POLLIN)], atMost: rest)
            if ready[1] != 0 || ready[2] != 0 {
                return .failure(DataChannelError(.closed, reason: "closed on this side"))
            }
            if ready[0] != 0 { return .success(()) }
        }
    }
}

/// Threads that poll, so that no task blocks.
enum PollThread {
    /// Runs `body` on a thread of its own.
    ///
    /// - Returns: false if the system has no thread left; then `body` is not run.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { box in
                if let box { Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Sleeps until a file is ready or the time is up.
    ///
    /// - Returns: what each file is ready for; all nothing if the time is up.
    static func poll(_ files: [(Int32, Int32)], atMost limit: Duration? = nil) -> [Int32] {
        var polled = files.map { pollfd(fd: $0.0, events: Int16(truncatingIfNeeded: $0.1), revents: 0) }
        let milliseconds = limit.map { limit in
            Int32(
                clamping: limit.components.seconds &* 1_000 &+ limit.components.attoseconds / 1_000_000_000_000_000 &+ 1
            )
        }
        let count = Glibc.poll(&polled, nfds_t(polled.count), milliseconds ?? -1)
        return polled.map { count > 0 ? Int32($0.revents) : 0 }
    }
}

extension DataChannelError {
    /// The system has no thread left.
    static let noThread = Self(.unreachable, reason: "no thread is left")
}
