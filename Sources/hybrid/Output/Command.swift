import ArgumentParser
import UnixSignals

/// Runs a command's work: turns a signal into cancellation, and every error into a line, a hint and an exit code.
///
/// The work is cancelled, not killed, so that it can close its tunnel and take its advert off the air.
func runCommand(_ reporter: Reporter, _ work: @escaping @Sendable () async throws -> Void) async throws {
    enum Ending: Sendable {
        case finished
        case failed(Failure)
        case signal
    }
    let failure = await withTaskGroup(of: Ending.self) { group -> Failure? in
        group.addTask {
            do {
                try await work()
                return .finished
            } catch {
                return .failed(Failure(error))
            }
        }
        group.addTask {
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
            for await _ in signals { return .signal }
            return .signal
        }
        var wasInterrupted = false
        for await ending in group {
            switch ending {
            case .finished:
                group.cancelAll()
                return nil
            case .failed(let failure):
                group.cancelAll()
                return wasInterrupted ? Failure(CancellationError()) : failure
            case .signal:
                wasInterrupted = true
                group.cancelAll()
            }
        }
        return nil
    }
    if let failure {
        reporter.report(failure)
        throw ExitCode(failure.status.rawValue)
    }
}
