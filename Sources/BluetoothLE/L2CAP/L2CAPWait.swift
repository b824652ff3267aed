internal import Edges
internal import Glibc
internal import Polling
internal import Synchronization

/// A wait for one of some sockets to become readable or writable, on a thread that lives as long as the wait: for connecting and
/// accepting, which happen once.
enum L2CAPWait {
    /// Waits.
    ///
    /// - Parameters:
    ///   - events: of `poll`.
    ///   - sockets: whose: of one of them at least.
    ///   - bell: ends the wait when it rings.
    ///   - limit: how long; nil for as long as it takes.
    /// - Throws: ``DataChannelError`` with `closed` if the bell rang, `cancelled`, `timeout`.
    static func wait(
        for events: Int32, of sockets: [any SDUSocket], or bell: Bell, atMost limit: Duration? = nil
    ) async throws(DataChannelError) {
        let isCancelled = Atomic(false)
        let deadline = limit.map { ContinuousClock.now + $0 }
        let woken = try Bell.forChannel()
        let outcome: Result<Void, DataChannelError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(DataChannelError) {
                    try PollThread.startForChannel {
                        continuation.resume(returning: poll(events, sockets, bell, woken, deadline))
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
            woken.ring()
        }
        if isCancelled.load(ordering: .relaxed) { throw DataChannelError(.cancelled, reason: "cancelled") }
        try outcome.get()
    }

    private static func poll(
        _ events: Int32, _ sockets: [any SDUSocket], _ bell: Bell, _ woken: Bell, _ deadline: ContinuousClock.Instant?
    ) -> Result<Void, DataChannelError> {
        while true {
            let rest = deadline.map { $0 - .now }
            if let rest, rest <= .zero {
                return .failure(DataChannelError(.timeout, reason: "the other device did not answer in time"))
            }
            let bells = [(bell.file, POLLIN), (woken.file, POLLIN)]
            let ready = PollThread.poll(bells + sockets.map { ($0.file, events) }, atMost: rest)
            if ready.prefix(bells.count).contains(where: { $0 != 0 }) {
                return .failure(DataChannelError(.closed, reason: "closed on this side"))
            }
            if ready.contains(where: { $0 != 0 }) { return .success(()) }
        }
    }
}

extension Bell {
    /// Makes a bell.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable` if no file is left.
    static func forChannel() throws(DataChannelError) -> Bell {
        do { return try Bell() } catch { throw .failed(.unreachable, "no file is left", error.number) }
    }
}

extension PollThread {
    /// Runs `body` on a thread of its own.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable` if no thread is left.
    static func startForChannel(_ body: @escaping @Sendable () -> Void) throws(DataChannelError) {
        do { try start(body) } catch { throw .failed(.unreachable, "no thread is left", error.number) }
    }
}
