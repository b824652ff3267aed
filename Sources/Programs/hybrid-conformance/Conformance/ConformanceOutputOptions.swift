import ArgumentParser
import CommandLine
import Conformance
import FoundationEssentials
import LinuxSupport

/// The options of a peer's known results, and of the files that a run leaves behind.
struct ConformanceOutputOptions: ParsableArguments {
    @Option(
        help: .saying(
            "A file of known deviations: a case's ID and a reason on each line. A known deviation is not a failure; a "
                + "listed case that no longer deviates is one. See --expected.",
            valueName: "file"), completion: .file())
    var known: String?

    @Option(
        help: .saying(
            "Write the transcript and standard error of each deviating or inconclusive case into this directory.",
            valueName: "directory"), completion: .directory)
    var keep: String?

    @Option(
        help: .saying(
            "Write a report for publication into this folder: index.html, and report.json for programs.",
            valueName: "folder"))
    var report: String?

    @Option(
        help: .saying("The peer's name in reports. (default: the first word of its command)", valueName: "text"))
    var peerName: String?

    @Option(help: .saying("The peer's version in reports.", valueName: "text"))
    var peerVersion: String?

    @Option(
        help: .saying("Write the results to this file too, as JUnit XML.", valueName: "file"), completion: .file())
    var junit: String?

    @Option(
        help: .saying(
            "A file with the verdict and grade of each case: the run fails if any differs, for the worse or the "
                + "better.",
            valueName: "file"), completion: .file())
    var expected: String?

    @Option(
        help: .saying(
            "Create or update such a file. Remarks, and cases that were not run, are kept.",
            valueName: "file"), completion: .file())
    var writeExpected: String?

    func validate() throws {
        guard [peerName, peerVersion].allSatisfy({ $0?.isEmpty != true }) else {
            throw ValidationError.saying("--peer-name and --peer-version must not be empty")
        }
        guard known == nil || expected == nil else {
            throw ValidationError.saying("give --known or --expected, not both: --expected includes known deviations")
        }
    }

    /// The description of a run.
    ///
    /// - Parameters:
    ///   - peer: the words of its command, or its URL.
    ///   - hello: a shim's description of itself.
    ///   - facts: the environment, as far as it depends on the role.
    ///   - selection: the choice of cases.
    func description(
        of role: ConformanceCase.Role, _ peer: [String], _ hello: ShimHello?, _ facts: [RunDescription.Fact],
        _ selection: CaseSelection
    ) -> RunDescription {
        let word = peer.first ?? ""
        let name = peerName ?? hello?.name ?? word.split(separator: "/").last.map(String.init) ?? word
        return RunDescription(
            role: role, peer: RunDescription.Peer(name: name, version: peerVersion ?? hello?.version, command: peer),
            runnerVersion: Version.version, started: RunEnvironment.now,
            environment: RunEnvironment.facts + facts, runnerWords: RunEnvironment.runnerWords(),
            selection: selection
        ).changingTexts(Redaction().apply)
    }

    /// The known deviations. Warns of lines that name no case of any role.
    ///
    /// - Throws: ``Failure``.
    func knownDeviations(_ reporter: Reporter) throws -> KnownDeviations {
        let known = try readKnownDeviations()
        for id in known.ids.subtracting(ConformanceOptions.ids).sorted() {
            let retired = ConformanceRunner.retirement(of: id)
            reporter.warn(
                "no-such-case",
                retired.map { "there is no case \(quoted(id)): \($0)" }
                    ?? "there is no case \(quoted(id)): check --known")
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
                .file, error, cause: "\(known): \(reason: error.reason)",
                hint: "write a case's ID, a space and a reason")
        }
    }
}
