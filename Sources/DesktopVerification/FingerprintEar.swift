internal import DBus
internal import PasskeyAuthenticator
internal import Synchronization

/// Listens for what fprintd says of a finger, between the thread of the bus and the task that waits.
final class FingerprintEar: Sendable {
    private enum Event: Sendable {
        case status(String, isDone: Bool)
        /// fprintd or the bus is gone.
        case lost(String)
        case timeUp
    }

    /// The most events that wait to be looked at: a flood is cut off.
    private static let capacity = 64

    /// Whose words count; nil as long as the reader may be another program's.
    private let reader = Mutex<FingerprintReader?>(nil)
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity)) }

    /// Listens to a reader that has been claimed: what it said before was for another program.
    func attend(to reader: FingerprintReader) { self.reader.withLock { $0 = reader } }

    /// Takes what comes from the bus.
    func hear(_ event: DBusConnection.Event) {
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

    /// Says that the time is up.
    func ring() { continuation.yield(.timeUp) }

    /// Waits for fprintd's next word.
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
