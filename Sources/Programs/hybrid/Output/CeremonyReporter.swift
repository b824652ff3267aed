import CommandLine
import HybridTransport
import Synchronization

/// Reports one role's ceremony as it happens, and says what is waited for when nothing does.
final class CeremonyReporter: Sendable {
    private let reporter: Reporter
    private let role: Role
    private let isHandOver: Bool
    private let waiting = Mutex<Task<Void, Never>?>(nil)

    /// The time without a stage after which the user is told what is waited for.
    private static let silenceLimit = Duration.seconds(1)

    /// - Parameter isHandOver: true for a ceremony whose handshake is followed by questions to people, and by no
    ///   request.
    init(_ reporter: Reporter, _ role: Role, isHandOver: Bool = false) {
        self.reporter = reporter
        self.role = role
        self.isHandOver = isHandOver
    }

    deinit { waiting.withLock { $0?.cancel() } }

    /// Runs a ceremony, and no longer says what is waited for when it is over.
    func during<Value: Sendable>(
        _ ceremony: (@escaping CeremonyObserver) async throws -> Value
    ) async rethrows -> Value {
        defer { wait(for: nil) }
        return try await ceremony { [self] in report($0) }
    }

    /// Reports an event of the ceremony.
    func report(_ event: CeremonyEvent) {
        switch event {
        case .stage(let stage): reached(stage)
        case .notice(let notice): reporter.warn(notice.rawValue, notice.text, role: role)
        }
    }

    private func reached(_ stage: Stage) {
        reporter.report(stage, role)
        wait(for: isHandOver && stage == .handshaken ? nil : stage.expectation(for: role))
    }

    private func wait(for expectation: String?) {
        let task = expectation.map { expectation in
            Task { [reporter] in
                guard (try? await Task.sleep(for: Self.silenceLimit)) != nil else { return }
                reporter.say("waiting: \(expectation)")
            }
        }
        waiting.withLock { waiting in
            waiting?.cancel()
            waiting = task
        }
    }
}
