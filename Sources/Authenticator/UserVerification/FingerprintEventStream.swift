internal import LinuxSupport
internal import Synchronization

/// Events of a verification by fprintd, from the bus's thread to the task that waits for them.
final class FingerprintEventStream: Sendable {
    private enum Event: Sendable {
        case status(String, isDone: Bool)
        /// fprintd or the bus is gone.
        case lost(String)
        case timeUp
    }

    /// The most events that are buffered: any more are dropped.
    private static let capacity = 64

    /// The reader whose events are accepted; nil until it is claimed, since it may serve another program before.
    private let reader = Mutex<FingerprintReader?>(nil)
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity)) }

    /// Accepts the events of a reader that has been claimed. Earlier ones were another program's.
    func accept(from reader: FingerprintReader) { self.reader.withLock { $0 = reader } }

    /// Receives an event of the bus.
    func receive(_ event: DBusConnection.Event) {
        guard let reader = reader.withLock({ $0 }) else { return }
        switch event {
        case .ended(let error): continuation.yield(.lost(error.reason))
        case .signal(let signal):
            if let (status, isDone) = reader.status(in: signal) {
                continuation.yield(.status(status, isDone: isDone))
            } else if reader.isEnd(signal) {
                continuation.yield(.lost("fprintd has ended"))
            }
        }
    }

    /// Ends the wait: the time is up.
    func expire() { continuation.yield(.timeUp) }

    /// Waits for fprintd's next status.
    ///
    /// - Throws: ``VerificationError`` `timeout`, `cancelled` or `lost`.
    func next() async throws(VerificationError) -> (status: String, isDone: Bool) {
        for await event in events {
            switch event {
            case .status(let status, let isDone): return (status, isDone)
            case .lost(let reason): throw VerificationError(.lost, reason: reason)
            case .timeUp: throw VerificationError(.timeout, reason: "there was no finger in time")
            }
        }
        throw VerificationError(.cancelled, reason: "cancelled")
    }
}
