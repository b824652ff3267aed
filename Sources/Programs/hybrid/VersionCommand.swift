import ArgumentParser
import CommandLine
import LinuxSupport

/// Tells the version.
struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        summary: "Show the version.",
        details: """
            example:
              hybrid version --json
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            reporter.write(Line("version", ["version": Version.version]), orPrint: "\(Version.version)")
        }
    }
}
