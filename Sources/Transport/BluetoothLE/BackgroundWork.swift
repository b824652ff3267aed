internal import HybridProtocol

/// Tasks that run beside the work of an advert's or a scan's owner, and can end that work by an error.
enum BackgroundWork {
    /// Runs `body` until it is done, or until one of the tasks fails: then it is cancelled and waited for. A task may
    /// end before.
    ///
    /// - Throws: the error of a task or of `body`.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        beside tasks: [@Sendable () async throws -> Void]
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            for task in tasks {
                group.addTask {
                    try await task()
                    return nil
                }
            }
            group.addImmediateTask { try await body() }
            defer { group.cancelAll() }
            while let finished = try await group.next() {
                if let result = finished { return result }
            }
            throw RadioError(.failed, reason: "the advert ended before its time")
        }
    }

    /// Runs `upkeep` beside `body`, until `body` is done.
    static func run<Value: Sendable>(
        _ upkeep: @escaping @Sendable () async -> Void, while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        async let _ = upkeep()
        return try await body()
    }
}

/// The upkeep of a scan.
enum ScanUpkeep {
    /// Time between two starts of a scan that goes on.
    ///
    /// A controller reports an unchanged advert once in a scan, and some look at the sender's address alone: then of a
    /// phone that sends several adverts in turn only the first is heard. And bluetoothd pauses for five seconds after
    /// each ten. A scan that is started anew before has neither. The source is the article ChoosingARadio.
    ///
    /// Longer than the interval at which bluetoothd advertises on its own, 1.28 s.
    static let interval = Duration.milliseconds(1_500)

    /// Waits for the next start: a quarter more or less, so as not to keep step with the turns of a phone's adverts.
    static func wait(_ interval: Duration) async throws {
        try await Task.sleep(for: interval * Double.random(in: 0.75...1.25))
    }
}
