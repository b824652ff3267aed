import CommandLine
import DesktopAuthenticator

/// The results of an examination.
struct Findings: Sendable {
    let lines: [CheckLine]
    let results: [(name: CheckName, result: CheckResult)]

    /// Runs an examination, and reports each result.
    ///
    /// - Throws: `CancellationError`.
    static func of(_ examination: Examination, _ reporter: Reporter) async throws -> Self {
        var lines: [CheckLine] = []
        var results: [(CheckName, CheckResult)] = []
        var writer = CheckWriter(reporter)
        defer { reporter.wait(for: nil) }
        try await examination.run { check in
            reporter.wait(for: check.name.waiting)
        } report: { check, result in
            let line = CheckLine(check, result)
            writer.write(line)
            lines.append(line)
            results.append((check.name, result))
        }
        writer.finish()
        return Self(lines: lines, results: results)
    }

    /// The version of BlueZ, if bluetoothd runs and it is known.
    var bluetoothVersion: String? {
        results.first { $0.name == .bluetoothService }?.result.observation.version
    }
}
