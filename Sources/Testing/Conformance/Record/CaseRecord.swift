internal import Synchronization

/// What is recorded of one case while it runs.
final class CaseRecord: Sendable {
    /// What the peer's command writes to standard error.
    let errors = StandardErrorTail()
    /// What goes over the channels.
    let transcript = TranscriptRecorder()
    private let connectionCount = Mutex(0)

    /// The number of a new connection: 1 for the case's first.
    func nextConnection() -> Int {
        connectionCount.withLock { count in
            count += 1
            return count
        }
    }
}
