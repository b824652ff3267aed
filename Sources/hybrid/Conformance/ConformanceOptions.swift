import ArgumentParser
import ConformanceRunner
import FoundationEssentials

/// What all conformance commands take: which cases, and where the results go.
struct ConformanceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only the cases whose ID contains this text; may be repeated.", valueName: "text"))
    var filter: [String] = []

    @Flag(help: "List the cases, and run none.")
    var list = false

    @Option(help: ArgumentHelp("How many cases run at a time.", valueName: "number"))
    var jobs: Int = 6

    @Option(
        help: ArgumentHelp("How many seconds the peer may take for a step, and to end by itself.", valueName: "seconds")
    )
    var patience: UInt32 = 10

    @Option(
        help: ArgumentHelp(
            "A file of known deviations: a case's ID and a reason on each line. They are no failures.",
            valueName: "file"))
    var known: String?

    @Option(help: ArgumentHelp("Write the results to this file too, as JUnit XML.", valueName: "file"))
    var junit: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard jobs > 0, patience > 0 else { throw ValidationError("--jobs and --patience take 1 or more") }
    }

    /// Whether a case is to be run.
    func isWanted(_ testCase: ConformanceCase) -> Bool {
        filter.isEmpty || filter.contains { testCase.id.contains($0) }
    }

    /// What is known to deviate.
    ///
    /// - Throws: ``Failure``.
    func knownDeviations() throws -> KnownDeviations {
        guard let known else { return KnownDeviations() }
        guard let text = try? String(contentsOf: URL(filePath: known), encoding: .utf8) else {
            throw Failure(
                .file, code: "input-output", cause: "\(known) cannot be read", hint: "check the file given with --known"
            )
        }
        do throws(RunnerError) {
            return try KnownDeviations(parsing: text)
        } catch {
            throw Failure(
                .file, code: error.code.rawValue, cause: "\(known): \(error.reason)",
                hint: "write a case's ID, a space and a reason")
        }
    }
}
