internal import Edges

/// Work that goes on as long as an advert's or a scan's owner is busy, and can end that owner's work by an error.
enum Companions {
    /// Runs `body` until it is done, or until a companion fails: then it is cancelled and waited for. A companion may end before.
    ///
    /// - Throws: what a companion or `body` threw.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result,
        beside companions: [@Sendable () async throws -> Void]
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            for companion in companions {
                group.addTask {
                    try await companion()
                    return nil
                }
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            while let finished = try await group.next() {
                if let result = finished { return result }
            }
            throw RadioError(.failed, reason: "the advert ended before its time")
        }
    }
}
