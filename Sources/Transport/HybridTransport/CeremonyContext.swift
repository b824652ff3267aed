internal import HybridProtocol
internal import LinuxSupport
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

    /// The time on the clock of the limits.
    var now: Duration { limits.timer.now }

    /// Runs `body` in a task of its own for at most `limit`, of which the time since `start` is over; then cancels it,
    /// and waits for it; see `DeadlineTimer/within(_:since:_:)`.
    ///
    /// - Parameter stage: the stage that `body` must reach; nil for the one that is expected when its time is over.
    /// - Throws: ``HybridTransportError`` with the code `timeout` and that stage; otherwise what `body` threw.
    func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, reaching stage: Stage? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await limits.timer.within(limit, since: start, body)
        } catch is DeadlineExceeded {
            throw timeout(limit, reaching: stage)
        }
    }

    /// Runs `body` likewise, but in the task of the caller, which costs least.
    ///
    /// - Parameter end: makes `body` fail, soon. Called when its time is over.
    func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, endedBy end: @escaping @Sendable () -> Void,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await limits.timer.within(limit, since: start, endedBy: end, body)
        } catch is DeadlineExceeded {
            throw timeout(limit)
        }
    }

    /// Runs `body` likewise: when its time is over, `channel` is closed, which ends what `body` does on it.
    func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, on channel: any DataChannel,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await within(limit, since: start, endedBy: { Task { await channel.close() } }, body)
    }
}
