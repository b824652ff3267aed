import ArgumentParser
import CommandLine
import Conformance
import Encodings
import FoundationEssentials
import LinuxSupport

/// Compares the reports of several implementations.
struct ConformanceCompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        summary: "Compare implementations by the reports of their runs: a matrix of rules.",
        details: """
            example:
              hybrid-conformance compare \\
                ours/report.json theirs/report.json \\
                --html matrix.html

            Each file is the report.json of a run with --report. The table is Markdown. The worst case of a rule \
            counts; 2/7 means two of seven cases. The column header says if a run left out cases. If the runs have \
            different cases, each count is given with its total.
            """)

    @Argument(help: .saying("The report.json of each run.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        help: .saying("Write the matrix to this file too, as one HTML page.", valueName: "file"),
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
                .usage, error,
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
            reporter.writeJSON(Line(number, report))
        }
        for row in comparison.rows { reporter.writeJSON(Line(row)) }
    }

    /// Refuses to write over anything but an earlier page.
    private func checkPage(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let bytes = try BoundedFile.read(path, limit: PublishedReport.byteLimit, hint: Self.hint)
        guard PublishedReport.isPage(bytes) else { throw Self.failure(path, "is not a page of a conformance run") }
    }

    private static let hint: Sentence = "give --html a new file, or a page of an earlier comparison, which is replaced"

    private static func failure(_ path: String, _ what: Sentence) -> Failure {
        Failure(.file, code: "input-output", cause: "\(path) \(what)", hint: hint)
    }
}

extension Line {
    /// A peer of a comparison. A report of an earlier runner does not state the number of all cases of the role.
    ///
    /// - Parameter number: its place in the lists of outcomes, from 0 on.
    fileprivate init(_ number: Int, _ report: PublishedReport) {
        let run = report.run
        self.init(
            "peer",
            [
                "number": number, "role": run.role.rawValue, "name": run.peer.name, "version": run.peer.version,
                "started": run.started, "complete": report.isComplete, "cases": report.cases.count,
                "planned": report.plannedCount, "catalogue": run.selection.catalogueCount,
                "filters": run.selection.filters,
            ])
    }

    /// A rule of a comparison: its outcomes by peer, null where no case of a peer's run is about the rule.
    fileprivate init(_ row: Comparison.Row) {
        self.init(
            "rule",
            [
                "id": row.rule.id, "article": row.rule.article, "sentence": row.rule.sentence,
                "outcomes": row.cells.map { cell -> JSONValue in
                    guard let cell else { return .null }
                    let fields: Fields = [
                        "outcome": cell.outcome.rawValue, "count": cell.count, "cases": cell.caseCount,
                    ]
                    return fields.json
                },
            ])
    }
}
