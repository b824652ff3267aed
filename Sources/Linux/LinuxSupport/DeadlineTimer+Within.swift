/// The deadline of some work has passed.
package struct DeadlineExceeded: Error {}

extension DeadlineTimer {
    /// Runs `body` in a task of its own for at most `limit`, of which the time since `start` is over; then cancels it,
    /// and waits for it. It begins on the caller's thread, and must not block that.
    ///
    /// A body that succeeds in the very moment of its time-out or cancellation has succeeded: its result, an open
    /// tunnel for instance, must not be lost, and the next step will notice the cancellation.
    ///
    /// - Parameters:
    ///   - limit: the longest time.
    ///   - start: the beginning of that time, as of ``now``; nil for now.
    ///   - body: the work.
    /// - Throws: ``DeadlineExceeded``; otherwise what `body` threw.
    package func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task.immediate(operation: body)
        return try await within(limit, since: start, endedBy: task.cancel) {
            try await withTaskCancellationHandler(operation: { try await task.value }, onCancel: task.cancel)
        }
    }

    /// Runs `body` likewise, but in the task of the caller, which costs least.
    ///
    /// - Parameters:
    ///   - limit: the longest time.
    ///   - start: the beginning of that time, as of ``now``; nil for now.
    ///   - end: makes `body` fail, soon. Called at the deadline.
    ///   - body: the work.
    package func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, endedBy end: @escaping @Sendable () -> Void,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let token = schedule(at: (start ?? now) + limit, end)
        do {
            let value = try await body()
            cancel(token)
            return value
        } catch {
            guard !cancel(token), !Task.isCancelled else { throw error }
            throw DeadlineExceeded()
        }
    }
}
