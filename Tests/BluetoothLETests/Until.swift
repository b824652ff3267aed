/// Nothing came about in a minute.
struct NotYet: Error {}

/// Waits until something is so.
func until(every pause: Duration = .milliseconds(10), _ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw NotYet() }
        try await Task.sleep(for: pause)
    }
}
