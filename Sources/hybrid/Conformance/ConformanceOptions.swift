import ArgumentParser
import Conformance
import FoundationEssentials

/// The options of all conformance commands: the choice of cases, and the outputs.
struct ConformanceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only the cases whose ID contains this text, or the case whose ID it is; may be repeated.",
            valueName: "text"))
    var filter: [String] = []

    @Flag(help: "List the cases, and run none.")
    var list = false

    @Option(help: ArgumentHelp("How many cases run at a time.", valueName: "number"))
    var jobs: Int = 6

    // --patience is its name in version 0.1.0.
    @Option(
        name: [.customLong("timeout"), .customLong("patience")],
        help: ArgumentHelp("How many seconds the peer may take for a step, and to end by itself.", valueName: "seconds")
    )
    var timeout: UInt32 = 10

    @Option(
        help: ArgumentHelp(
            "A file of known deviations: a case's ID and a reason on each line. They are no failures; see --expected.",
            valueName: "file"))
    var known: String?

    @Option(
        help: ArgumentHelp(
            "Write the transcript and the standard error of each case that deviates or is inconclusive here.",
            valueName: "directory"), completion: .directory)
    var keep: String?

    @OptionGroup var outputs: ConformanceOutputOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard jobs > 0, timeout > 0 else { throw ValidationError("--jobs and --timeout take 1 or more") }
        guard known == nil || outputs.expected == nil else {
            throw ValidationError("give --known or --expected: what is expected to deviate is known to")
        }
    }

    /// True if a case is to be run.
    func isWanted(_ testCase: ConformanceCase) -> Bool { isWanted(testCase.id) }

    /// True if the case of this ID is to be run.
    func isWanted(_ id: String) -> Bool {
        filter.isEmpty || filter.contains { Self.ids.contains($0) ? id == $0 : id.contains($0) }
    }

    /// The IDs of all cases.
    static let ids = Set(
        (ConformanceRunner.authenticatorCases + ConformanceRunner.clientCases + ConformanceRunner.tunnelServiceCases)
            .map(\.id))

    /// Demands that there are cases to run: a run of none would be good whatever the peer does.
    ///
    /// - Parameter cases: those that are wanted.
    /// - Throws: ``Failure``.
    func checkChoice(_ cases: [ConformanceCase], _ reporter: Reporter) throws {
        let unmatched = filter.filter { text in !cases.contains { $0.id.contains(text) } }
        guard !cases.isEmpty else {
            throw Failure.usage(
                "there is no case to run: no ID contains \(unmatched.map(quoted).joined(separator: " or "))",
                hint: "see the IDs with --list, and check --filter")
        }
        for text in unmatched { reporter.warn("no-such-case", "no case's ID contains \(quoted(text)): check --filter") }
    }

    /// The known deviations. Warns of lines that name no case of any role.
    ///
    /// - Throws: ``Failure``.
    func knownDeviations(_ reporter: Reporter) throws -> KnownDeviations {
        let known = try readKnownDeviations()
        for id in known.ids.subtracting(Self.ids).sorted() {
            reporter.warn("no-such-case", "there is no case \(quoted(id)): check --known")
        }
        return known
    }

    private func readKnownDeviations() throws -> KnownDeviations {
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
