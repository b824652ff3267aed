import ArgumentParser
import Conformance
import FoundationEssentials

/// Makes a directory's files of vectors anew.
struct VectorsGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Make files of vectors anew: each case's input, with the outcome that this implementation gives it.",
        discussion: """
            example:
              hybrid vectors generate Vectors --check
              hybrid vectors generate my-inputs --output my-vectors

            Nothing is random: the inputs of the project's Vectors come from a fixed seed, and its files are made again byte for \
            byte. For inputs of your own, what a case expects may be anything; the outcome replaces it.
            """)

    @Argument(help: "The directory whose cases are taken.")
    var directory = "Vectors"

    @Option(
        help: ArgumentHelp(
            "Write the files into this directory, which is made if it is missing.", valueName: "directory"))
    var output: String?

    @Flag(help: "Say which files would change.")
    var check = false

    @OptionGroup var lines: OutputOptions

    func validate() throws {
        guard check != (output != nil) else { throw ValidationError("give --output DIRECTORY or --check") }
    }

    func run() async throws {
        let reporter = lines.reporter()
        try await runCommand(reporter) { try generate(reporter) }
    }

    private func generate(_ reporter: Reporter) throws {
        let files: [VectorGenerator.File]
        do throws(ConformanceError) {
            files = try VectorGenerator(path: directory).files { file in
                let verdict = file.isUnchanged ? "as it was" : "changed"
                reporter.write(GeneratedLine(file), orSay: "\(file.name): \(file.caseCount) cases, \(verdict)")
            }
        } catch {
            throw Failure(.file, code: error.code.rawValue, cause: error.reason, hint: VectorsCheckCommand.hint)
        }
        if let output { try write(files, into: output) }
        let changed = files.filter { !$0.isUnchanged }
        reporter.say("\(files.count) files, \(changed.count) changed")
        guard !check || changed.isEmpty else {
            throw Failure(
                .vectors, code: "vectors-changed",
                cause: "not as this implementation makes them: \(changed.map(\.name).joined(separator: ", "))",
                hint: "hybrid vectors check \(directory) names the cases")
        }
    }

    private func write(_ files: [VectorGenerator.File], into path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for file in files {
                try Data(file.text.utf8).write(to: URL(filePath: "\(path)/\(file.name)"), options: .atomic)
            }
        } catch {
            throw Failure(
                .file, code: "cannot-write", cause: "\(path) cannot be written", hint: "give another --output DIRECTORY"
            )
        }
    }
}

/// A file that was made.
private struct GeneratedLine: Encodable {
    let event = "file"
    let file: String
    let cases: Int
    let unchanged: Bool

    init(_ file: VectorGenerator.File) {
        self.file = file.name
        cases = file.caseCount
        unchanged = file.isUnchanged
    }
}
