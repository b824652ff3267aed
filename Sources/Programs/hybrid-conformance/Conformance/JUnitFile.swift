import CommandLine
import Conformance
import LinuxSupport

/// The file given with `--junit`. It is written at the start too: a file that cannot be written is known before the
/// run, and an earlier run's is not taken for this one's.
struct JUnitFile {
    private let path: String
    private let run: RunDescription
    private var suite: String { "hybrid conformance \(run.role.rawValue)" }

    /// Writes the file of a run that has not come to its end.
    ///
    /// - Throws: ``Failure``.
    init(_ path: String, _ run: RunDescription) throws {
        self.path = path
        self.run = run
        try write(notJudged: "the run did not come to its end")
    }

    /// Writes the results.
    ///
    /// - Throws: ``Failure``.
    func write(_ report: ConformanceReport, of run: RunDescription, _ duration: Duration) throws {
        try write(report.junit(named: suite, of: run, duration: duration))
    }

    /// Writes why no case was judged.
    ///
    /// - Throws: ``Failure``.
    func write(notJudged reason: String, standardError: [String] = []) throws {
        try write(ConformanceReport.junit(named: suite, notJudged: reason, of: run, standardError: standardError))
    }

    private func write(_ text: String) throws {
        do {
            try AtomicFile(path: path, access: .masked).replace(with: text)
        } catch {
            throw Failure(
                .file, code: "input-output", cause: "\(path) cannot be written",
                hint: "check the file given with --junit")
        }
    }
}
