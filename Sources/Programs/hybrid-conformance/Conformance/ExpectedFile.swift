import CommandLine
import Conformance
import FoundationEssentials
import LinuxSupport

/// The files given with `--expected` and `--write-expected`.
struct ExpectedFile {
    /// The expected results; nil if none were given.
    let results: ExpectedResults?
    private let target: (path: String, earlier: ExpectedResults)?

    private static let byteLimit = 16 << 20
    private static let hint: Sentence =
        "a line has a case's ID, its verdict, and its grade if it has one; --write-expected FILE writes such a file"

    /// Reads the one, and tries whether the other can be written.
    ///
    /// - Throws: ``Failure``.
    init(expected: String?, writing path: String?) throws {
        let results = try expected.map { try Self.read($0) }
        self.results = results
        target = try path.map { path in
            let isThere = FileManager.default.fileExists(atPath: path)
            let earlier = isThere ? try Self.read(path) : results ?? ExpectedResults()
            if !isThere {
                try Self.write(earlier, to: path)
                try? FileManager.default.removeItem(atPath: path)
            }
            return (path, earlier)
        }
    }

    /// Writes the results of a whole run.
    ///
    /// - Throws: ``Failure``.
    func write(_ report: ConformanceReport) throws {
        guard let (path, earlier) = target else { return }
        var results = earlier
        results.take(report, existing: ConformanceOptions.ids)
        try Self.write(results, to: path)
    }

    private static func read(_ path: String) throws -> ExpectedResults {
        let bytes = try BoundedFile.read(path, limit: byteLimit, hint: hint)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.file, code: "invalid-expected", cause: "\(path) is not UTF-8", hint: hint)
        }
        do throws(RunnerError) {
            return try ExpectedResults(parsing: text)
        } catch {
            throw Failure(.file, error, cause: "\(path): \(reason: error.reason)", hint: hint)
        }
    }

    private static func write(_ results: ExpectedResults, to path: String) throws {
        do {
            try AtomicFile(path: path, access: .masked).replace(with: results.text)
        } catch {
            throw Failure(
                .file, code: "input-output", cause: "\(path) cannot be written",
                hint: "check the file given with --write-expected")
        }
    }
}
