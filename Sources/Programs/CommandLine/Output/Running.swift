import ArgumentParser
import Glibc
import Synchronization
import UnixSignals

/// Runs a command's work, and turns every error into a line, a hint and an exit code.
///
/// SIGINT and SIGTERM cancel the work rather than kill it, so that it can close its tunnel and take its advert off the
/// air; a second one ends the process at once. So does the loss of standard output, but for the second chance. Work
/// that completes normally although it was interrupted has succeeded.
package func runCommand(_ reporter: Reporter, _ work: @escaping @Sendable () async throws -> Void) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let interruption = Interruption()
    let working = Task { try await work() }
    reporter.onLostOutput { working.cancel() }
    let outcome = await withTaskGroup(of: Result<Void, any Error>?.self) { group in
        group.addTask { await working.result }
        group.addTask {
            for await _ in signals {
                guard interruption.isFirst() else {
                    HiddenTerminals.showAll()
                    _exit(ExitStatus.interrupted.rawValue)
                }
                working.cancel()
            }
            return nil
        }
        defer { group.cancelAll() }
        while let finished = await group.next() {
            if let outcome = finished { return outcome }
        }
        return .success(())
    }
    var failure: Failure?
    if case .failure(let error) = outcome { failure = Failure(error) }
    if let lost = reporter.lostOutput { failure = Failure(lostOutput: lost) }
    if failure != nil, interruption.hasHappened { failure = Failure(interruptedAt: failure?.stage) }
    if let failure {
        reporter.report(failure)
        throw ExitCode(failure.status.rawValue)
    }
}

/// Record of the first signal.
private final class Interruption: Sendable {
    private let happened = Atomic(false)

    var hasHappened: Bool { happened.load(ordering: .relaxed) }

    /// Notes a signal; true for the first.
    func isFirst() -> Bool { !happened.exchange(true, ordering: .relaxed) }
}
