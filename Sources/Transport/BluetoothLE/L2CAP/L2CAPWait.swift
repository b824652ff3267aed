internal import Glibc
internal import HybridProtocol
internal import LinuxSupport
internal import Synchronization
internal import SystemPackage

/// A wait for one of some sockets to become readable or writable, on a thread that lives as long as the wait: for
/// connecting and accepting, which happen once.
enum L2CAPWait {
    /// Waits.
    ///
    /// - Parameters:
    ///   - events: of `poll`.
    ///   - sockets: the sockets, one of which must become ready.
    ///   - wakePipe: ends the wait by a signal.
    ///   - limit: the longest wait; nil for no limit.
    /// - Throws: ``DataChannelError`` with `closed` after a signal, `cancelled`, `timeout`.
    static func wait(
        for events: Int32, of sockets: [any SDUSocket], or wakePipe: WakePipe, atMost limit: Duration? = nil
    ) async throws(DataChannelError) {
        let isCancelled = Atomic(false)
        let deadline = limit.map { ContinuousClock.now + $0 }
        let cancellation = try WakePipe.forChannel()
        let outcome: Result<Void, DataChannelError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(DataChannelError) {
                    try PollThread.startForChannel {
                        continuation.resume(
                            returning: poll(events, sockets, [wakePipe, cancellation], until: deadline))
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
            cancellation.signal()
        }
        if isCancelled.load(ordering: .relaxed) { throw DataChannelError(.cancelled, reason: "cancelled") }
        try outcome.get()
    }

    private static func poll(
        _ events: Int32, _ sockets: [any SDUSocket], _ wakePipes: [WakePipe], until deadline: ContinuousClock.Instant?
    ) -> Result<Void, DataChannelError> {
        while true {
            let rest = deadline.map { $0 - .now }
            if let rest, rest <= .zero {
                return .failure(DataChannelError(.timeout, reason: "the other device did not answer in time"))
            }
            let ready = PollThread.poll(
                wakePipes.map { ($0.file, POLLIN) } + sockets.map { ($0.file, events) }, atMost: rest)
            if ready.prefix(wakePipes.count).contains(where: { $0 != 0 }) {
                return .failure(DataChannelError(.closed, reason: "closed on this side"))
            }
            if ready.contains(where: { $0 != 0 }) { return .success(()) }
        }
    }
}

extension WakePipe {
    /// Makes a pipe.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable` if no file is left.
    static func forChannel() throws(DataChannelError) -> WakePipe {
        do { return try WakePipe() } catch { throw .failed(.unreachable, "no file descriptor is left", error.rawValue) }
    }
}

extension PollThread {
    /// Runs `body` on a thread of its own.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable` if no thread is left.
    static func startForChannel(_ body: @escaping @Sendable () -> Void) throws(DataChannelError) {
        do { try start(body) } catch { throw .failed(.unreachable, "no thread is left", error.rawValue) }
    }
}
