internal import Synchronization

/// The close of a client's session, which waits for the other side: the scan ends meanwhile.
final class BackgroundClose: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Begins it.
    func begin(_ close: @escaping @Sendable () async -> Void) {
        let closing = Task.immediate { await close() }
        task.withLock { $0 = closing }
    }

    /// Runs `body`, which may begin it, and returns or throws when both are over.
    static func after<Value: Sendable>(_ body: (BackgroundClose) async throws -> Value) async throws -> Value {
        let close = BackgroundClose()
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(close)) } catch { outcome = .failure(error) }
        await close.task.withLock { $0 }?.value
        return try outcome.get()
    }
}
