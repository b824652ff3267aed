internal import Synchronization

/// Lets the user be asked one thing at a time, and not too often: any program of the user's can call the agent.
package final class QuestionGate: Sendable {
    /// The most questions of callers in ``window``.
    static let maxCount = 10
    static let window = Duration.seconds(60)

    private struct State {
        var isBusy = false
        var recent: [ContinuousClock.Instant] = []
        /// Ends the running task.
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// True while something is asked or done.
    package var isBusy: Bool { state.withLock(\.isBusy) }

    /// Cancels the task of the present question or operation.
    package func cancel() { state.withLock(\.cancel)?() }

    /// Runs `body` in a task of its own, unless another one runs.
    ///
    /// - Parameters:
    ///   - isCounted: false for a question that no caller can bring about.
    ///   - now: the time of the question.
    ///   - body: asks.
    /// - Throws: ``AgentRefusal`` `agent-busy` or `too-many-questions`; the errors of `body`.
    package func alone<Value: Sendable>(
        isCounted: Bool = true, at now: ContinuousClock.Instant = .now,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = try state.withLock { state throws(AgentRefusal) in
            guard !state.isBusy else {
                throw AgentRefusal(.busy, reason: "the agent is busy with another request")
            }
            if isCounted {
                state.recent.removeAll { now - $0 > Self.window }
                guard state.recent.count < Self.maxCount else {
                    throw AgentRefusal(.tooMany, reason: "the agent has asked \(Self.maxCount) times in a minute")
                }
                state.recent.append(now)
            }
            let task = Task { try await body() }
            state.isBusy = true
            state.cancel = { task.cancel() }
            return task
        }
        defer {
            state.withLock { state in
                state.isBusy = false
                state.cancel = nil
            }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
