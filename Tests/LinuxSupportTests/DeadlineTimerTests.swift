import LinuxSupport
import Synchronization
import TestPeers
import Testing

@Suite("A timer", .timeLimit(.minutes(1)))
struct DeadlineTimerTests {
    @Test("makes its calls in the order of their deadlines, at the times of its clock")
    func order() async {
        let clock = JumpingClock()
        let timer = DeadlineTimer.on(clock)
        let (calls, feed) = AsyncStream<Int>.makeStream()
        for seconds in [7200, 30, 3600] {
            _ = timer.schedule(at: .seconds(seconds)) {
                #expect(timer.now >= .seconds(seconds))
                feed.yield(seconds)
            }
        }
        #expect(await calls.prefix(3).reduce(into: []) { $0.append($1) } == [30, 3600, 7200])
    }

    @Test("makes no call that was cancelled")
    func cancelled() async {
        let timer = DeadlineTimer.on(JumpingClock())
        let (calls, feed) = AsyncStream<Int>.makeStream()
        let first = timer.schedule(at: .seconds(3600)) { feed.yield(1) }
        #expect(timer.cancel(first))
        let second = timer.schedule(at: .seconds(7200)) { feed.yield(2) }
        #expect(await calls.first { _ in true } == 2)
        #expect(!timer.cancel(second), "its deadline has passed")
        #expect(!timer.cancel(first), "it was cancelled before")
    }

    @Test("cancels work that takes too long, and waits for it")
    func within() async {
        let timer = DeadlineTimer.on(JumpingClock())
        let wasCancelled = Mutex(false)
        await #expect(throws: DeadlineExceeded.self) {
            try await timer.within(.seconds(3600)) {
                do { try await Task.sleep(for: .seconds(3600)) } catch {
                    wasCancelled.withLock { $0 = true }
                    throw error
                }
            }
        }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test("takes the result of work that ends, and its error, whatever the time")
    func inTime() async throws {
        struct Failure: Error {}
        let timer = DeadlineTimer.continuous
        #expect(try await timer.within(.seconds(3600)) { 7 } == 7)
        await #expect(throws: Failure.self) { try await timer.within(.seconds(3600)) { throw Failure() } }
        #expect(try await timer.within(.zero) { await Task { 7 }.value } == 7)
    }

    @Test("lets a cancelled task fail with its own error")
    func cancelledTask() async {
        let task = Task {
            try await DeadlineTimer.continuous.within(.seconds(3600)) { try await Task.sleep(for: .seconds(3600)) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("takes no result that comes when the time is over")
    func timeout() async throws {
        let late = try await DeadlineTimer.on(JumpingClock()).withTimeout(.seconds(3600)) {
            try? await Task.sleep(for: .seconds(3600))
            return 7
        }
        #expect(late == nil)
        #expect(try await DeadlineTimer.continuous.withTimeout(.seconds(3600)) { 7 } == 7)
    }

    @Test("lets a cancelled task fail as cancelled, whatever its work returned")
    func cancelledTimeout() async {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await DeadlineTimer.continuous.withTimeout(.seconds(3600)) {
                begin.yield()
                try? await Task.sleep(for: .seconds(3600))
                return 7
            }
        }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("is one for the machine's clock, and another for each other clock")
    func identity() {
        #expect(DeadlineTimer.on(ContinuousClock()) == .continuous)
        #expect(DeadlineTimer.on(JumpingClock()) != .continuous)
    }
}
