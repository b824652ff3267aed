/// A case with the closure that plays it.
struct PlayedCase<Stage: Sendable>: Sendable {
    typealias Play = @Sendable (Stage) async throws -> Void

    let testCase: ConformanceCase
    let play: Play
}

/// The cases of one role and group, as they are written down.
struct Group<Stage: Sendable>: Sendable {
    let role: ConformanceCase.Role
    let name: String
    let source: String

    typealias Cases = [PlayedCase<Stage>]

    /// A case of what a peer has to do.
    func behaves(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        source: String? = nil, _ play: @escaping PlayedCase<Stage>.Play
    ) -> PlayedCase<Stage> {
        make(name, rule, .behaves, certainty, source, play)
    }

    /// A case of what a peer must not go along with.
    func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        source: String? = nil, _ play: @escaping PlayedCase<Stage>.Play
    ) -> PlayedCase<Stage> {
        make(name, rule, .refuses, certainty, source, play)
    }

    /// A case of what must not bring a peer down.
    func survives(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        source: String? = nil, _ play: @escaping PlayedCase<Stage>.Play
    ) -> PlayedCase<Stage> {
        make(name, rule, .survives, certainty, source, play)
    }

    private func make(
        _ name: String, _ rule: String, _ kind: ConformanceCase.Kind, _ certainty: ConformanceCase.Certainty,
        _ source: String?, _ play: @escaping PlayedCase<Stage>.Play
    ) -> PlayedCase<Stage> {
        let testCase = ConformanceCase(
            id: "\(role.rawValue)/\(self.name)/\(name)", rule: rule, source: source ?? self.source, kind: kind,
            certainty: certainty)
        return PlayedCase(testCase: testCase, play: play)
    }
}

/// Runs cases, several at a time.
struct Playbook<Stage: Sendable>: Sendable {
    let cases: [PlayedCase<Stage>]
    /// How long a case may take in all.
    let limit: Duration
    /// Sets the stage for a case, lets it play, and takes everything down again.
    let withStage: @Sendable (@escaping PlayedCase<Stage>.Play) async throws -> Void

    /// Runs all cases.
    ///
    /// - Parameters:
    ///   - jobs: how many at a time.
    ///   - report: is told of each result as it comes.
    /// - Throws: ``RunnerError``, after which nothing more is run; `CancellationError`.
    func run(jobs: Int, _ report: @escaping @Sendable (CaseResult) -> Void) async throws {
        try await withThrowingTaskGroup(of: CaseResult.self) { group in
            var waiting = cases[...]
            for _ in 0..<max(1, jobs) {
                if let next = waiting.popFirst() { group.addTask { try await run(next) } }
            }
            while let result = try await group.next() {
                report(result)
                if let next = waiting.popFirst() { group.addTask { try await run(next) } }
            }
        }
    }

    private func run(_ played: PlayedCase<Stage>) async throws -> CaseResult {
        let start = ContinuousClock.now
        let verdict: Verdict
        do {
            try await within(limit, "the case") { try await withStage(played.play) }
            verdict = played.testCase.certainty == .disputed ? .observed("keeps to it") : .passed
        } catch let error as RunnerError {
            throw error
        } catch {
            try Task.checkCancellation()
            verdict = Self.verdict(error, played.testCase.certainty)
        }
        return CaseResult(testCase: played.testCase, verdict: verdict, duration: .now - start)
    }

    private static func verdict(_ error: any Error, _ certainty: ConformanceCase.Certainty) -> Verdict {
        let reason: String
        switch error {
        case let skip as NotApplicable: return .skipped(skip.reason)
        case let observation as Observation: return .observed(observation.text)
        case let deviation as Deviation: reason = deviation.reason
        case let closed as WebSocketEnd.Closed:
            reason = "it closed the \(closed.channel)" + (closed.code.map { " with code \($0)" } ?? "")
        case is WireConnection.Ended: reason = "it ended the connection"
        default: reason = "\(error)"
        }
        return certainty == .disputed ? .observed(reason) : .deviates(reason)
    }
}

/// Lets `body` run for so long at most.
///
/// - Throws: ``Deviation`` that names what took too long.
func within<Result: Sendable>(
    _ limit: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else {
            throw Deviation("\(what) did not come within \(limit.seconds)")
        }
        return result
    }
}

extension Duration {
    /// The duration for people, in seconds.
    var seconds: String {
        let (seconds, attoseconds) = components
        return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    }
}
