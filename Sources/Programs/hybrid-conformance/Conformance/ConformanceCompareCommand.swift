import ArgumentParser
import CommandLine
import Conformance
import FoundationEssentials
import LinuxSupport

/// Compares the reports of several implementations.
struct ConformanceCompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare implementations by the reports of their runs: a matrix of rules.",
        discussion: """
            example:
              hybrid-conformance compare \\
                ours/report.json theirs/report.json \\
                --html matrix.html

            Each file is the report.json of a run with --report. The table is Markdown; of the cases of a rule the \
            worst one counts, and 2/7 says of how many. A run without all cases says so in its column's head; where runs \
            have different cases, each count is told out of how many.
            """)

    @Argument(help: ArgumentHelp("The report.json of each run.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp("Write the matrix to this file too, as one HTML page.", valueName: "file"),
        completion: .file())
    var html: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try compare(reporter) }
    }

    private func compare(_ reporter: Reporter) throws {
        guard files.count <= Comparison.reportLimit else {
            throw Failure.usage(
                "\(files.count) files, of at most \(Comparison.reportLimit)", hint: "compare fewer at a time")
        }
        if let html { try checkPage(html) }
        let reports = try files.map { try PublishedReport.read($0).withoutTranscripts }
        let comparison: Comparison
        do throws(RunnerError) {
            comparison = try Comparison(reports)
        } catch {
            throw Failure(
                .usage, code: error.code.rawValue, cause: error.reason,
                hint: "tell them apart with --peer-name and --peer-version in their runs")
        }
        if let html {
            let page = comparison.html(version: Version.version, date: RunEnvironment.now)
            do {
                try AtomicFile(path: html, access: .masked).replace(with: page)
            } catch {
                throw Self.failure(html, "cannot be written")
            }
        }
        guard reporter.isJSON else {
            reporter.print(String(comparison.table.dropLast()))
            let list = comparison.list
            return list.isEmpty ? () : reporter.print("\n" + list.dropLast())
        }
        for (number, report) in comparison.reports.enumerated() {
            reporter.writeJSON(ComparedPeerLine(number, report))
        }
        for row in comparison.rows { reporter.writeJSON(ComparedRuleLine(row)) }
    }

    /// Refuses to write over anything but an earlier page.
    private func checkPage(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let bytes = try BoundedFile.read(path, limit: PublishedReport.byteLimit, hint: Self.hint)
        guard PublishedReport.isPage(bytes) else { throw Self.failure(path, "is not a page of a conformance run") }
    }

    private static let hint = "give --html a new file, or a page of an earlier comparison, which is replaced"

    private static func failure(_ path: String, _ what: String) -> Failure {
        Failure(.file, code: "input-output", cause: "\(path) \(what)", hint: hint)
    }
}

/// A peer of a comparison, in a line of `--json`.
struct ComparedPeerLine: Encodable {
    let event = "peer"
    /// Its place in the lists of outcomes, from 0 on.
    let number: Int
    let role: String
    let name: String
    let version: String?
    let started: String
    let complete: Bool
    let cases: Int
    /// The number of cases that were chosen, of so many of the role, by these texts. A report of an earlier runner does
    /// not state the number of all.
    let planned: Int
    let catalogue: Int?
    let filters: [String]

    init(_ number: Int, _ report: PublishedReport) {
        self.number = number
        role = report.run.role.rawValue
        name = report.run.peer.name
        version = report.run.peer.version
        started = report.run.started
        complete = report.isComplete
        cases = report.cases.count
        planned = report.plannedCount
        catalogue = report.run.selection.catalogueCount
        filters = report.run.selection.filters
    }
}

/// A rule of a comparison, in a line of `--json`.
struct ComparedRuleLine: Encodable {
    /// The outcome of one peer.
    struct Outcome: Encodable {
        let outcome: String
        let count: Int
        let cases: Int
    }

    let event = "rule"
    let id: String
    let article: String
    let sentence: String
    /// By peer; null where no case of its run is about the rule.
    let outcomes: [Outcome?]

    init(_ row: Comparison.Row) {
        id = row.rule.id
        article = row.rule.article
        sentence = row.rule.sentence
        outcomes = row.cells.map { cell in
            cell.map { Outcome(outcome: $0.outcome.rawValue, count: $0.count, cases: $0.caseCount) }
        }
    }
}
