import ArgumentParser
import CommandLine

/// Tells the version.
struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version.",
        discussion: """
            example:
              hybrid version --json
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            reporter.write(Line("version", ["version": Version.version]), orPrint: Version.version)
        }
    }
}
