internal import HybridProtocol
internal import Synchronization

/// The role, the time limits and the progress of one ceremony.
///
/// It reports each stage to the observer and knows which one is expected next, so that a failure names the stage that
/// was not reached. The observer is called under the lock, and so in order and by one task at a time.
final class CeremonyContext: Sendable {
    let limits: TimeLimits
    /// Gets the keys of the session; nil but in a laboratory.
    let keyLog: TrafficKeyLog?
    private let role: Role
    private let observe: CeremonyObserver
    private let expected: Mutex<Stage>

    init(
        of role: Role, expecting first: Stage, limits: TimeLimits, keyLog: TrafficKeyLog?,
        observe: @escaping CeremonyObserver
    ) {
        self.role = role
        self.limits = limits
        self.keyLog = keyLog
        self.observe = observe
        expected = Mutex(first)
    }

    /// Notes that a stage was reached, and which one is expected now.
    func reached(_ stage: Stage, next: Stage) {
        expected.withLock {
            $0 = next
            observe(.stage(stage))
        }
    }

    /// Notes that a stage was reached beside the others: the expected one stays as it is.
    func passed(_ stage: Stage) { expected.withLock { _ in observe(.stage(stage)) } }

    /// Notes that another stage is expected now.
    func expect(_ stage: Stage) { expected.withLock { $0 = stage } }

    /// Reports something beside the stages.
    func notice(_ notice: CeremonyEvent.Notice) { expected.withLock { _ in observe(.notice(notice)) } }

    /// The ceremony's failure for an error that is thrown at this point.
    func failure(_ error: any Error) -> HybridTransportError {
        HybridTransportError(error, reaching: expected.withLock { $0 }, as: role)
    }

    /// The error of a stage that was not reached within `limit`; the expected one unless another is named.
    func timeout(_ limit: Duration, reaching stage: Stage? = nil) -> HybridTransportError {
        .timeout(reaching: stage ?? expected.withLock { $0 }, as: role, limit: limit)
    }

    /// Runs `body` in a task of its own for at most `limit`, of which the time since `start` is over; then cancels it,
    /// and waits for it. It begins on the caller's thread, and must not block that.
    ///
    /// A body that succeeds in the very moment of its time-out or cancellation has succeeded: what it made, an open
    /// tunnel for instance, must not be lost, and the next step will notice the cancellation.
    ///
    /// - Parameter stage: the stage that `body` must reach; nil for the one that is expected when its time is over.
    /// - Throws: ``HybridTransportError`` with the code `timeout` and that stage; otherwise what `body` threw.
    func within<Value: Sendable>(
        _ limit: Duration,
        since start: ContinuousClock.Instant = .now,
        reaching stage: Stage? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task.immediate(operation: body)
        return try await within(limit, since: start, reaching: stage, endedBy: task.cancel) {
            try await withTaskCancellationHandler(operation: { try await task.value }, onCancel: task.cancel)
        }
    }

    /// Runs `body` likewise, but in the task of the caller, which costs least: when its time is over, `channel` is
    /// closed, which ends what `body` does on it.
    func within<Value: Sendable>(
        _ limit: Duration,
        since start: ContinuousClock.Instant = .now,
        on channel: any DataChannel,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await within(limit, since: start, endedBy: { Task { await channel.close() } }, body)
    }

    /// Runs `body` likewise, in the task of the caller.
    ///
    /// - Parameter end: makes `body` fail, soon. Called when its time is over.
    func within<Value: Sendable>(
        _ limit: Duration,
        since start: ContinuousClock.Instant = .now,
        reaching stage: Stage? = nil,
        endedBy end: @escaping @Sendable () -> Void,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let watch = Watchdog.shared.schedule(at: start + limit, end)
        do {
            let value = try await body()
            _ = Watchdog.shared.cancel(watch)
            return value
        } catch {
            guard Watchdog.shared.cancel(watch), !Task.isCancelled else { throw error }
            throw timeout(limit, reaching: stage)
        }
    }
}
