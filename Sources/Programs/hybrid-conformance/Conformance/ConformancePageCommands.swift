import ArgumentParser
import CommandLine
import Conformance
import LinuxSupport

/// Makes a badge of a report.
struct ConformanceBadgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "badge",
        summary: "Write a badge for a report: an SVG with verdict, counts, profile and date.",
        details: """
            example:
              hybrid-conformance badge report/report.json

            The badge goes to standard output. The same report always gives the same badge, which needs no font and no \
            network. A badge only repeats the report, and anybody can write a report: publish the report beside it.
            """)

    @OptionGroup var file: ReportArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await file.write(output) { report in
            (Line("badge", ["verdict": report.verdict, "svg": report.badge]), report.badge)
        }
    }
}

/// Makes the page of a report again.
struct ConformancePageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        summary: "Write the HTML page of a report again.",
        details: """
            example:
              hybrid-conformance page report/report.json

            The page goes to standard output. A run with --report writes the same page beside its report.json; use \
            this command if only report.json was kept.
            """)

    @OptionGroup var file: ReportArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await file.write(output) { (Line("page", ["html": $0.html]), $0.html) }
    }
}

/// The report of a command that makes something of it.
struct ReportArgument: ParsableArguments {
    @Argument(help: .saying("The report.json of a run.", valueName: "file"), completion: .file())
    var file: String

    /// Reads the report, and prints a text made of it, or a line with that text for programs.
    ///
    /// - Throws: ``Failure``.
    func write(
        _ output: OutputOptions, _ make: @escaping @Sendable (PublishedReport) -> (line: Line, text: String)
    ) async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let (line, text) = make(try PublishedReport.read(file))
            reporter.write(line, orPrint: Sentence(verbatim: String(text.dropLast())))
        }
    }
}
