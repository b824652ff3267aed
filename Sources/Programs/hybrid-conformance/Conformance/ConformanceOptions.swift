import ArgumentParser
import CommandLine
import Conformance
import LinuxSupport

/// The options of all conformance commands: the choice of cases.
struct ConformanceOptions: ParsableArguments {
    @Option(
        help: .saying(
            "Only the cases whose ID contains this text, or the case with exactly this ID; may be repeated.",
            valueName: "text"))
    var filter: [String] = []

    @Option(
        help: .saying(
            "Only the cases of this flow, or of rules of this edition of CTAP; may be repeated: flows add up, "
                + "and so do editions.",
            valueName: "name"), completion: .list(profiles), transform: Self.profile(parsing:))
    var profile: [Profile] = []

    @Flag(help: .saying("List the cases without running them."))
    var list = false

    @Flag(help: .saying("Also check this project's own choices: the rules whose certainty is policy."))
    var policy = false

    @Option(help: .saying("How many cases run at a time.", valueName: "number"))
    var jobs: Int = 6

    // --patience is its name in version 0.1.0.
    @Option(
        name: [.customLong("timeout"), .customLong("patience")],
        help: .saying("How many seconds the peer may take for a step and to exit by itself.", valueName: "seconds")
    )
    var timeout: UInt32 = 10

    func validate() throws {
        guard jobs > 0, timeout > 0 else { throw ValidationError.saying("--jobs and --timeout take 1 or more") }
    }

    /// True if a case should be run.
    func isWanted(_ testCase: ConformanceCase) -> Bool { profile.ask(for: testCase) && isNamed(testCase.id) }

    /// True if a filter names the ID, or there is none.
    func isNamed(_ id: String) -> Bool {
        filter.isEmpty || filter.contains { Self.ids.contains($0) ? id == $0 : id.contains($0) }
    }

    private static let profiles = Profile.allCases.map(\.rawValue)

    private static func profile(parsing name: String) throws -> Profile {
        guard let profile = Profile(rawValue: name) else {
            throw ValidationError.saying("no profile \(name): there are \(profiles.joined(separator: ", "))")
        }
        return profile
    }

    /// The IDs of all cases.
    static let ids = Set(ConformanceCase.Role.allCases.flatMap(ConformanceRunner.cases).map(\.id))

    /// Demands that there are cases to run: a run of none would be good whatever the peer does.
    ///
    /// - Parameter cases: those that are wanted.
    /// - Throws: ``Failure``.
    func checkChoice(_ cases: [ConformanceCase], _ reporter: Reporter) throws {
        let unmatched = filter.filter { text in !cases.contains { $0.id.contains(text) } }
        guard !cases.isEmpty else {
            throw Failure.usage(
                filter.isEmpty
                    ? "there is no case to run: this role has none in the profile \(profile.text)"
                    : "there is no case to run: no ID contains \(unmatched.map(quoted).joined(separator: ", "))",
                hint: "see the IDs with --list, and check --filter and --profile")
        }
        for text in unmatched { reporter.warn("no-such-case", "no case's ID contains \(quoted(text)): check --filter") }
    }
}
