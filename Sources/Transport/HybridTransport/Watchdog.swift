internal import Synchronization

/// The time limits that run at this moment, of all ceremonies. One task sleeps for all of them: hardly one is ever
/// reached, and a task for each would cost more than the step that it limits.
final class Watchdog: Sendable {
    private struct Limit {
        let id: Int
        let end: ContinuousClock.Instant
        let isReached: @Sendable () -> Void
    }

    private struct State {
        var limits: [Limit] = []
        var count = 0
        var sleeper: Sleeper?
    }

    private struct Sleeper {
        let task: Task<Void, Never>
        let end: ContinuousClock.Instant
    }

    static let shared = Watchdog()
    /// The longest time for which the task sleeps, so that limits that are far off need no new one each.
    private static let longestSleep = Duration.seconds(1)
    private let state = Mutex(State())

    private init() {}

    /// Schedules a limit.
    ///
    /// - Parameters:
    ///   - end: when the limit is reached.
    ///   - isReached: called then, unless it was cancelled.
    /// - Returns: the limit's number, for ``cancel(_:)``.
    func schedule(at end: ContinuousClock.Instant, _ isReached: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.count &+= 1
            state.limits.append(Limit(id: state.count, end: end, isReached: isReached))
            wake(&state, by: end)
            return state.count
        }
    }

    /// Cancels a limit.
    ///
    /// - Returns: true if its limit was reached before.
    func cancel(_ id: Int) -> Bool {
        state.withLock { state in
            guard let place = state.limits.firstIndex(where: { $0.id == id }) else { return true }
            state.limits.remove(at: place)
            return false
        }
    }

    private func wake(_ state: inout State, by limit: ContinuousClock.Instant) {
        let end = min(limit, .now + Self.longestSleep)
        if let sleeper = state.sleeper, sleeper.end <= end { return }
        state.sleeper?.task.cancel()
        let task = Task {
            // It is cancelled where another sleeps less long.
            guard (try? await Task.sleep(until: end)) != nil else { return }
            look()
        }
        state.sleeper = Sleeper(task: task, end: end)
    }

    /// Tells of the limits that are reached, and sleeps until the next one is.
    private func look() {
        let reached = state.withLock { state in
            let now = ContinuousClock.now
            let reached = state.limits.filter { $0.end <= now }
            state.limits.removeAll { $0.end <= now }
            state.sleeper = nil
            if let next = state.limits.map(\.end).min() { wake(&state, by: next) }
            return reached
        }
        for limit in reached { limit.isReached() }
    }
}
