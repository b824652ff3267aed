import ArgumentParser
import CommandLine
import Conformance

/// Checks a directory of vectors against this implementation.
struct VectorsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Run every vector of a directory against this implementation.",
        discussion: """
            example:
              hybrid-conformance vectors check Vectors

            A case that fails for another reason than the one it names has failed.
            """)

    @Argument(help: "The directory.", completion: .directory)
    var directory = "Vectors"

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try check(reporter) }
    }

    private func check(_ reporter: Reporter) throws {
        let report = try VectorDirectory(path: directory).check { file in
            for failure in file.failures {
                reporter.write(
                    Line(failure),
                    orSay: "failed: \(failure.id): \(failure.reason)"
                        + (failure.rule.map { " (\($0.id): \($0.sentence))" } ?? ""))
            }
            reporter.write(Line(file), orPrint: file.description)
        }
        reporter.write(
            Line(report),
            orPrint: "\(report.files.count) files: \(report.caseCount) cases, \(report.passedCount) passed, "
                + "\(report.failedCount) failed, \(report.notOfferedCount) not offered")
        guard report.hasPassed else {
            throw Failure(
                .vectors, code: "vectors", cause: "\(report.failedCount) vectors failed",
                hint: "each failed case is named above; its file says what it shows")
        }
    }

    /// The hint for a directory that cannot be read.
}

extension Line {
    /// A vector that failed.
    fileprivate init(_ failure: VectorReport.Failure) {
        self.init(
            "failed",
            [
                "id": failure.id, "comment": failure.comment, "reason": failure.reason, "rule": failure.rule?.id,
                "sentence": failure.rule?.sentence,
            ])
    }

    /// The counts of one file.
    fileprivate init(_ report: VectorReport.File) {
        self.init(
            "file",
            [
                "file": report.name, "layer": report.layer, "cases": report.caseCount,
                "passed": report.passedCount, "failed": report.failures.count,
                "not_offered": report.notOffered.count,
            ])
    }

    /// The counts of a whole directory.
    fileprivate init(_ report: VectorReport) {
        self.init(
            "result",
            [
                "files": report.files.count, "cases": report.caseCount, "passed": report.passedCount,
                "failed": report.failedCount, "not_offered": report.notOfferedCount,
            ])
    }
}
