internal import Synchronization

/// Calls functions at their deadlines, on a clock that is handed in.
///
/// One task sleeps for all of them: hardly one deadline ever passes, and a task for each would cost more than the step
/// that it limits.
package final class DeadlineTimer: Sendable {
    /// A call that is scheduled.
    package struct Token: Sendable {
        fileprivate let number: Int
    }

    private struct Call {
        let number: Int
        let deadline: Duration
        let action: @Sendable () -> Void
    }

    private struct State {
        var calls: [Call] = []
        var count = 0
        var sleeper: Sleeper?
    }

    private struct Sleeper {
        let task: Task<Void, Never>
        let end: Duration
    }

    /// The timer on the machine's clock, which goes on while the machine sleeps.
    package static let continuous = DeadlineTimer(ContinuousClock())
    /// The longest time for which the task sleeps, so that deadlines that are far off need no new one each.
    private static let longestSleep = Duration.seconds(1)

    /// The clock.
    package let clock: any Clock<Duration>
    private let time: @Sendable () -> Duration
    private let sleepUntil: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    private init(_ clock: some Clock<Duration>) {
        let start = clock.now
        self.clock = clock
        time = { start.duration(to: clock.now) }
        sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The timer on a clock; of the machine's own there is one.
    package static func on(_ clock: any Clock<Duration>) -> DeadlineTimer {
        clock is ContinuousClock ? continuous : DeadlineTimer(clock)
    }

    /// The time on the clock since the timer was made.
    package var now: Duration { time() }

    /// Schedules a call.
    ///
    /// - Parameters:
    ///   - deadline: the time of the call, as of ``now``.
    ///   - action: called then, unless it was cancelled. It must return soon.
    package func schedule(at deadline: Duration, _ action: @escaping @Sendable () -> Void) -> Token {
        state.withLock { state in
            state.count &+= 1
            state.calls.append(Call(number: state.count, deadline: deadline, action: action))
            wake(&state, by: deadline)
            return Token(number: state.count)
        }
    }

    /// Cancels a call.
    ///
    /// - Returns: true if it was cancelled; false if its deadline has passed.
    @discardableResult
    package func cancel(_ token: Token) -> Bool {
        state.withLock { state in
            guard let place = state.calls.firstIndex(where: { $0.number == token.number }) else { return false }
            state.calls.remove(at: place)
            return true
        }
    }

    /// Sleeps.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(for duration: Duration) async throws { try await sleepUntil(now + duration) }

    private func wake(_ state: inout State, by deadline: Duration) {
        let end = min(deadline, now + Self.longestSleep)
        if let sleeper = state.sleeper, sleeper.end <= end { return }
        state.sleeper?.task.cancel()
        let task = Task {
            // It is cancelled where another sleeps less long.
            guard (try? await sleepUntil(end)) != nil else { return }
            callExpired()
        }
        state.sleeper = Sleeper(task: task, end: end)
    }

    /// Makes the calls whose deadlines have passed, and sleeps until the next one does.
    private func callExpired() {
        let expired = state.withLock { state in
            let now = now
            let expired = state.calls.filter { $0.deadline <= now }
            state.calls.removeAll { $0.deadline <= now }
            state.sleeper = nil
            if let next = state.calls.map(\.deadline).min() { wake(&state, by: next) }
            return expired
        }
        for call in expired { call.action() }
    }
}

extension DeadlineTimer: Equatable {
    /// True for the same timer.
    package static func == (left: DeadlineTimer, right: DeadlineTimer) -> Bool { left === right }
}

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
    /// - Throws: ``DeadlineExceeded``; otherwise the error of `body`.
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

    /// Runs `body` in a task of its own for at most `limit`; then cancels it, and waits for it. It may block its
    /// thread. A result that comes after the deadline, or after the caller was cancelled, does not count.
    ///
    /// - Parameters:
    ///   - limit: the longest time.
    ///   - body: the work.
    /// - Returns: nil if the time was up first.
    /// - Throws: `CancellationError` for a cancelled task; otherwise the error of `body`.
    package func withTimeout<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        do {
            return try await within(limit) {
                // The caller's thread schedules the deadline first.
                await Task.yield()
                let value = try await body()
                try Task.checkCancellation()
                return value
            }
        } catch is DeadlineExceeded {
            return nil
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}
