import ArgumentParser
import Glibc
package import LinuxSupport
import Synchronization
import UnixSignals

/// End of a command's work, for people.
package enum Outcome: Sendable {
    case done(Sentence)
    case failed(Failure)
}

/// Runs a command's work, and turns every error into a line, a hint and an exit code.
///
/// SIGINT and SIGTERM cancel the work rather than kill it, so that it can close its tunnel and take its advert off the
/// air; a second one ends the process at once. So does the loss of standard output, but for the second chance. Work
/// that completes normally although it was interrupted has succeeded.
///
/// - Parameters:
///   - reporter: writes the failure.
///   - tell: tells the outcome where nobody reads the lines; the command ends after it.
///   - work: the work.
package func runCommand(
    _ reporter: Reporter, telling tell: @escaping @Sendable (Outcome) async -> Void = { _ in },
    _ work: @escaping @Sendable () async throws -> Void
) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let interruption = Interruption()
    let working = Task { () -> Failure? in
        var failure: Failure?
        do { try await work() } catch { failure = Failure(error) }
        if let lost = reporter.lostOutput { failure = Failure(lostOutput: lost) }
        if failure != nil, interruption.hasHappened { failure = Failure(interruptedAt: failure?.stage) }
        if let failure { reporter.report(failure) }
        if !Task.isCancelled, let outcome = failure.map(Outcome.failed) ?? reporter.lastResult.map(Outcome.done) {
            await tell(outcome)
        }
        return failure
    }
    reporter.onLostOutput { working.cancel() }
    let failure = await withTaskGroup(of: Void.self) { group in
        group.addTask {
            for await _ in signals {
                guard interruption.isFirst() else {
                    HiddenTerminals.showAll()
                    _exit(ExitStatus.interrupted.rawValue)
                }
                working.cancel()
            }
        }
        defer { group.cancelAll() }
        return await working.value
    }
    if let failure { throw ExitCode(failure.status.rawValue) }
}

/// Record of the first signal.
private final class Interruption: Sendable {
    private let happened = Atomic(false)

    var hasHappened: Bool { happened.load(ordering: .relaxed) }

    /// Notes a signal; true for the first.
    func isFirst() -> Bool { !happened.exchange(true, ordering: .relaxed) }
}
