internal import Synchronization

/// The end of a client's session, which needs an answer from elsewhere: meanwhile the radio can stop.
final class HangUp: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Begins it.
    func begin(_ close: @escaping @Sendable () async -> Void) {
        let closing = Task.immediate { await close() }
        task.withLock { $0 = closing }
    }

    /// Runs `body`, which may begin it, and returns or throws when both are over.
    static func after<Value: Sendable>(_ body: (HangUp) async throws -> Value) async throws -> Value {
        let hangUp = HangUp()
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(hangUp)) } catch { outcome = .failure(error) }
        await hangUp.task.withLock { $0 }?.value
        return try outcome.get()
    }
}
