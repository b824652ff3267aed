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
        let report: VectorReport
        do throws(VectorError) {
            report = try VectorDirectory(path: directory).check { file in
                for failure in file.failures {
                    reporter.write(
                        FailedLine(failure),
                        orSay: "failed: \(failure.id): \(failure.reason)"
                            + (failure.rule.map { " (\($0.id): \($0.sentence))" } ?? ""))
                }
                if output.json { reporter.writeJSON(FileLine(file)) } else { reporter.print(file.description) }
            }
        } catch {
            throw Failure(.file, code: error.code.rawValue, cause: error.reason, hint: Self.hint)
        }
        if output.json {
            reporter.writeJSON(SumLine(report))
        } else {
            reporter.print(
                "\(report.files.count) files: \(report.caseCount) cases, \(report.passedCount) passed, "
                    + "\(report.failedCount) failed, \(report.notOfferedCount) not offered")
        }
        guard report.hasPassed else {
            throw Failure(
                .vectors, code: "vectors", cause: "\(report.failedCount) vectors failed",
                hint: "each failed case is named above; its file says what it shows")
        }
    }

    /// The hint for a directory that cannot be read.
    static let hint = "give a directory like the project's Vectors: JSON files, one a layer, and their schema"
}

/// A vector that failed.
private struct FailedLine: Encodable {
    let event = "failed"
    let id: String
    let comment: String
    let reason: String
    let rule: String?
    let sentence: String?

    init(_ failure: VectorReport.Failure) {
        id = failure.id
        comment = failure.comment
        reason = failure.reason
        rule = failure.rule?.id
        sentence = failure.rule?.sentence
    }
}

/// The counts of one file.
private struct FileLine: Encodable {
    let event = "file"
    let file: String
    let layer: String
    let cases: Int
    let passed: Int
    let failed: Int
    let notOffered: Int

    init(_ report: VectorReport.File) {
        file = report.name
        layer = report.layer
        cases = report.caseCount
        passed = report.passedCount
        failed = report.failures.count
        notOffered = report.notOffered.count
    }
}

/// The counts of a whole directory.
private struct SumLine: Encodable {
    let event = "result"
    let files: Int
    let cases: Int
    let passed: Int
    let failed: Int
    let notOffered: Int

    init(_ report: VectorReport) {
        files = report.files.count
        cases = report.caseCount
        passed = report.passedCount
        failed = report.failedCount
        notOffered = report.notOfferedCount
    }
}
