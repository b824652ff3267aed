import Testing

@testable import HybridTransport

@Suite("An alarm", .timeLimit(.minutes(1)))
struct AlarmTests {
    @Test("rings when its time is over, and then is due")
    func rings() async throws {
        let alarm = Alarm()
        #expect(!alarm.isDue)
        let start = ContinuousClock.now
        alarm.set(.milliseconds(20))
        try await alarm.rings()
        #expect(alarm.isDue)
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test("that is set anew does not ring for the time before")
    func setAnew() async throws {
        let alarm = Alarm()
        let start = ContinuousClock.now
        alarm.set(.milliseconds(1))
        alarm.set(.milliseconds(300))
        // It may have rung before it was set anew.
        repeat { try await alarm.rings() } while !alarm.isDue
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }

    @Test("that has rung already is not due when it is set anew")
    func rungBefore() async throws {
        let alarm = Alarm()
        alarm.set(.milliseconds(1))
        try await alarm.rings()
        alarm.set(.seconds(3600))
        #expect(!alarm.isDue)
    }

    @Test("lets a cancelled task wait no longer")
    func cancelled() async {
        let alarm = Alarm()
        alarm.set(.seconds(3600))
        let task = Task { try await alarm.rings() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
