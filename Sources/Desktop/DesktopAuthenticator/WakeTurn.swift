internal import LinuxSupport
internal import Synchronization

/// The turn of one of several that must not run at the same time. One more waits for it, for a limited time.
final class WakeTurn: Sendable {
    private struct Waiting {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isTaken = false
        var waiting: Waiting?
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// True if somebody has it.
    var isTaken: Bool { state.withLock(\.isTaken) }

    /// True if somebody waits.
    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// Takes the turn, or waits until it is given back.
    ///
    /// - Parameters:
    ///   - limit: the longest time to wait.
    ///   - timer: ends the wait.
    /// - Returns: false if it was not given back in that time, if another one waits, or if the task was cancelled.
    func take(within limit: Duration, on timer: DeadlineTimer) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let token = timer.schedule(at: timer.now + limit) { self.giveUp(number) }
        defer { timer.cancel(token) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Bool? = state.withLock { state in
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    guard state.waiting == nil, !Task.isCancelled else { return false }
                    state.waiting = Waiting(number: number, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    /// Gives the turn to the session that waits for it, or to the next who takes it.
    func giveBack() {
        let next = state.withLock { state in
            let next = state.waiting.take()
            state.isTaken = next != nil
            return next
        }
        next?.continuation.resume(returning: true)
    }

    private func giveUp(_ number: Int) {
        let waiting = state.withLock { $0.waiting?.number == number ? $0.waiting.take() : nil }
        waiting?.continuation.resume(returning: false)
    }
}
