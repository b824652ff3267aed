import ArgumentParser
import Conformance

/// The options of what a run leaves behind.
struct ConformanceOutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a report to publish into this folder: index.html, and report.json for programs.",
            valueName: "folder"))
    var report: String?

    @Option(
        help: ArgumentHelp("The peer's name, in reports; otherwise the first word of its command.", valueName: "text"))
    var peerName: String?

    @Option(help: ArgumentHelp("The peer's version, in reports.", valueName: "text"))
    var peerVersion: String?

    @Option(help: ArgumentHelp("Write the results to this file too, as JUnit XML.", valueName: "file"))
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "A file with the verdict and grade of each case: the run fails if any differs, for the worse or the "
                + "better.",
            valueName: "file"))
    var expected: String?

    @Option(
        help: ArgumentHelp(
            "Write such a file, or bring it up to date: remarks stay, and so do cases that are not run.",
            valueName: "file"))
    var writeExpected: String?

    func validate() throws {
        guard [peerName, peerVersion].allSatisfy({ $0?.isEmpty != true }) else {
            throw ValidationError("--peer-name and --peer-version take a text")
        }
    }

    /// The description of a run.
    ///
    /// - Parameters:
    ///   - peer: the words of its command, or its URL.
    ///   - facts: the environment, as far as it depends on the role.
    func description(
        of role: ConformanceCase.Role, _ peer: [String], _ facts: [RunDescription.Fact]
    ) -> RunDescription {
        let word = peer.first ?? ""
        let name = peerName ?? word.split(separator: "/").last.map(String.init) ?? word
        return RunDescription(
            role: role, peer: RunDescription.Peer(name: name, version: peerVersion, command: peer),
            runnerVersion: Hybrid.configuration.version, started: RunEnvironment.now,
            environment: RunEnvironment.facts + facts, runnerWords: RunEnvironment.runnerWords()
        ).changingTexts(Redaction().apply)
    }
}
