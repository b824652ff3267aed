import ArgumentParser
import CommandLine
import Conformance
import Glibc
import LinuxSupport

/// Checks a directory of vectors against this implementation, or another.
struct VectorsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        summary: "Run every vector of a directory against this implementation, or another.",
        details: """
            example:
              hybrid-conformance vectors check
              hybrid-conformance vectors check Vectors --shim -- \\
                python3 my_shim.py

            A case names the reason for which it must fail. Failing for another reason counts as a failure.

            A shim calls the functions of another implementation: it reads JSON from standard input, and writes JSON \
            to standard output. Cases that it does not support are counted separately; a refusal without a reason \
            passes.
            """)

    @Argument(
        help: .saying("The directory. (default: ./Vectors, or else the one that is installed with this program)"),
        completion: .directory)
    var directory: String?

    @Flag(help: .saying("Test another implementation through the command after --, which is a shim."))
    var shim = false

    @Option(help: .saying("How many seconds a shim may take for an answer.", valueName: "seconds"))
    var timeout: UInt32 = 10

    @Argument(
        parsing: .postTerminator, help: .saying("After --: the shim, and its arguments.", valueName: "command"))
    var command: [String] = []

    @OptionGroup var output: OutputOptions

    private static let localDirectory = "Vectors"

    /// The directory of a checkout, or else the installed one.
    private static var usualDirectory: String {
        let isHere = access(localDirectory, F_OK) == 0
        guard !isHere, let folder = OwnProgram.folder else { return localDirectory }
        return "\(folder)/../share/hybrid-conformance/\(localDirectory)"
    }

    func validate() throws {
        guard shim != command.isEmpty else {
            throw ValidationError.saying("give --shim and, after --, the shim's command")
        }
        guard timeout > 0 else { throw ValidationError.saying("--timeout takes 1 or more") }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await check(reporter) }
    }

    private func check(_ reporter: Reporter) async throws {
        let vectors = try VectorDirectory(path: directory ?? Self.usualDirectory)
        let note = { @Sendable (file: VectorReport.File) in
            for failure in file.failures {
                let rule = failure.rule.map { " (\($0.id): \($0.sentence))" } ?? ""
                reporter.write(Line(failure), orSay: "failed: \(failure.id): \(failure.reason)\(rule)")
            }
            reporter.write(Line(file), orPrint: Sentence(verbatim: file.description))
        }
        let report = try await shim ? checkShim(vectors, reporter, note) : vectors.check(progress: note)
        reporter.write(
            Line(report),
            orPrint: "\(report.files.count) files: \(report.caseCount) cases, \(report.passedCount) passed, "
                + "\(report.failedCount) failed, \(report.notOfferedCount) not offered")
        guard report.hasPassed else {
            throw Failure(
                .vectors, code: "vectors",
                cause: report.failedCount == 0 ? "no vector was offered" : "\(report.failedCount) vectors failed",
                hint: "each failed case is named above; its file says what it shows")
        }
    }

    private func checkShim(
        _ vectors: VectorDirectory, _ reporter: Reporter, _ note: @Sendable (VectorReport.File) -> Void
    ) async throws -> VectorReport {
        let implementation = ShimVectors(command, timeout: .seconds(timeout))
        let report = try await implementation.check(vectors, progress: note)
        for (operation, members) in await implementation.neverGiven {
            let names = members.joined(separator: ", ")
            reporter.warn("never-given", "the shim never gave \(names) of \(operation): that is untested")
        }
        return report
    }
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
