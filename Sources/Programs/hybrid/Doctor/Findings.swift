import CommandLine
import DesktopAuthenticator
import Synchronization

/// The results of an examination.
struct Findings: Sendable {
    let lines: [CheckLine]
    let results: [(name: CheckName, result: CheckResult)]

    /// The time without a result after which the user is told what is waited for.
    private static let silenceLimit = Duration.seconds(1)

    /// Runs an examination, and reports each result.
    ///
    /// - Throws: `CancellationError`.
    static func of(_ examination: Examination, _ reporter: Reporter) async throws -> Self {
        var lines: [CheckLine] = []
        var results: [(CheckName, CheckResult)] = []
        var waiting: Task<Void, Never>?
        defer { waiting?.cancel() }
        try await examination.run { check in
            waiting?.cancel()
            waiting = Task {
                guard (try? await Task.sleep(for: silenceLimit)) != nil else { return }
                reporter.say("waiting: \(check.name.waiting)")
            }
        } report: { check, result in
            let line = CheckLine(check, result)
            reporter.write(line.json, orPrint: line.line)
            lines.append(line)
            results.append((check.name, result))
        }
        return Self(lines: lines, results: results)
    }

    /// The version of BlueZ, if bluetoothd runs and it is known.
    var bluetoothVersion: String? {
        results.first { $0.name == .bluetoothService }?.result.observation.version
    }
}
