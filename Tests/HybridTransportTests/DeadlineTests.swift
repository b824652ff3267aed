import Testing

@testable import HybridTransport

@Suite("A deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
    @Test("passes after its time")
    func passes() async throws {
        let deadline = Deadline()
        #expect(!deadline.isPassed)
        let start = ContinuousClock.now
        deadline.set(.milliseconds(20))
        try await deadline.passes()
        #expect(deadline.isPassed)
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test("that is set anew does not pass at the time before")
    func setAnew() async throws {
        let deadline = Deadline()
        let start = ContinuousClock.now
        deadline.set(.milliseconds(1))
        deadline.set(.milliseconds(300))
        // It may have passed before it was set anew.
        repeat { try await deadline.passes() } while !deadline.isPassed
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }

    @Test("that has passed already has not when it is set anew")
    func passedBefore() async throws {
        let deadline = Deadline()
        deadline.set(.milliseconds(1))
        try await deadline.passes()
        deadline.set(.seconds(3600))
        #expect(!deadline.isPassed)
    }

    @Test("lets a cancelled task wait no longer")
    func cancelled() async {
        let deadline = Deadline()
        deadline.set(.seconds(3600))
        let task = Task { try await deadline.passes() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
