import Synchronization

/// Keeps a message of one side to say it again in the other's place.
final class Echo: Sendable {
    private let kept = Mutex<[UInt8]>([])

    func `in`(_ message: [UInt8]) -> TestChannel.Fate {
        kept.withLock { $0 = message }
        return .delivered
    }

    func out(_ message: [UInt8]) -> TestChannel.Fate { .replaced([kept.withLock { $0 }]) }
}
