import Glibc

/// A question to a user who never answers.
enum EndlessQuestion {
    /// Returns when it is withdrawn.
    ///
    /// - Parameter blocking: true for one as at a terminal that polls: it keeps its thread, and hears of the end only
    ///   by its task.
    static func ask(blocking: Bool = false) async {
        if blocking {
            while !Task.isCancelled { usleep(1000) }
        } else {
            try? await Task.sleep(for: .seconds(3600))
        }
    }

    /// Asks likewise, for a responder.
    static func answer(blocking: Bool = false) async -> [UInt8] {
        await ask(blocking: blocking)
        return TestContext.answer
    }
}
