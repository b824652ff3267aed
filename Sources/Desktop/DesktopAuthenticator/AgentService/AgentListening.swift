internal import Synchronization

/// The wait for linked clients, which can be stopped and started again.
final class AgentListening: Sendable {
    private struct State {
        /// The last one; it may have been stopped.
        var task: Task<Void, Never>?
        var runs = false
        var hasEnded = false
    }

    private let listen: @Sendable () async throws -> Void
    private let state = Mutex(State())

    /// Makes one that does not wait yet.
    ///
    /// - Parameter listen: waits until its task is cancelled. It tells of its failures itself.
    init(_ listen: @escaping @Sendable () async throws -> Void) { self.listen = listen }

    /// Waits, unless it does so already; after the one before has come to its end.
    func start() {
        state.withLock { state in
            guard !state.runs, !state.hasEnded else { return }
            state.runs = true
            state.task = Task { [listen, before = state.task] in
                await before?.value
                guard !Task.isCancelled else { return }
                _ = try? await listen()
            }
        }
    }

    /// Stops waiting, and cancels the request of a linked client.
    func stop() {
        state.withLock { state in
            state.runs = false
            state.task?.cancel()
        }
    }

    /// Stops waiting for good, and returns when everything has come to its end.
    func end() async {
        stop()
        let task = state.withLock { state in
            state.hasEnded = true
            return state.task
        }
        await task?.value
    }
}
