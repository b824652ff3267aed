import ArgumentParser
import Conformance
import FoundationEssentials
import VectorCases

/// Makes the project's files of vectors from nothing but their seed, or somebody's from their inputs.
struct VectorsGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Make the files of test vectors: the project's from a fixed seed, or yours from their inputs.",
        discussion: """
            example:
              hybrid vectors generate --output my-copy
              hybrid vectors generate --check Vectors
              hybrid vectors generate --inputs my-cases --output my-vectors

            Nothing is random: without --inputs, every byte comes from the cases that the program holds and from a fixed seed, and \
            the project's files are made again byte for byte. With --inputs, each case of these files keeps its input and gets the \
            outcome that this implementation gives it; what it expects may be anything.
            """)

    @Argument(help: "The directory that --check compares with: that of --inputs, or else Vectors.")
    var directory: String?

    @Option(help: ArgumentHelp("Take the cases' inputs from the files in this directory.", valueName: "directory"))
    var inputs: String?

    @Option(
        help: ArgumentHelp(
            "Write the files into this directory, which is made if it is missing.", valueName: "directory"))
    var output: String?

    @Flag(help: "Compare the files with those that are there.")
    var check = false

    @Option(help: ArgumentHelp("Make this layer's file alone; may stand several times.", valueName: "name"))
    var layer: [String] = []

    @OptionGroup var lines: OutputOptions

    func validate() throws {
        guard check != (output != nil) else { throw ValidationError("give --output DIRECTORY or --check") }
        guard directory == nil || check else { throw ValidationError("a directory to compare with needs --check") }
        let known = VectorLayer.all.map(\.name)
        if let unknown = layer.first(where: { !known.contains($0) }) {
            throw ValidationError("no layer \(unknown): there are \(known.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let reporter = lines.reporter()
        try await runCommand(reporter) { try generate(reporter) }
    }

    private func generate(_ reporter: Reporter) throws {
        let compared = check ? directory ?? inputs ?? "Vectors" : nil
        var files: [MadeFile] = []
        var differences: [String] = []
        do {
            try makeFiles { file in
                let difference = compared.flatMap { file.difference(from: $0) }
                reporter.write(
                    GeneratedLine(file, unchanged: compared.map { _ in difference == nil }),
                    orSay: file.name
                        + (compared.map { _ in difference.map { ": different \($0)" } ?? ": the same" } ?? ""))
                files.append(file)
                differences += difference.map { ["\(file.name) \($0)"] } ?? []
            }
        } catch let error as ConformanceError {
            throw Failure(.file, code: error.code.rawValue, cause: error.reason, hint: VectorsCheckCommand.hint)
        }
        if let output { try write(files, into: output) }
        reporter.say("\(files.count) files, \(files.reduce(0) { $0 + ($1.caseCount ?? 0) }) cases")
        guard differences.isEmpty else {
            throw Failure(
                .vectors, code: "vectors-changed",
                cause: "not as they are made here: \(differences.joined(separator: "; "))",
                hint: "hybrid vectors generate --output DIRECTORY writes what is made here")
        }
    }

    private func makeFiles(_ take: (MadeFile) -> Void) throws {
        if let inputs {
            for file in try VectorGenerator(path: inputs).files()
            where layer.isEmpty || layer.contains(where: { file.name == "\($0).json" }) {
                take(MadeFile(name: file.name, caseCount: file.caseCount, text: file.text))
            }
            return
        }
        var layers: [LayerCases] = []
        for made in VectorLayer.all where layer.isEmpty || layer.contains(made.name) {
            let cases = try made.cases()
            layers.append(cases)
            take(MadeFile(name: cases.fileName, caseCount: cases.cases.count, text: cases.fileText))
        }
        guard layer.isEmpty else { return }
        take(MadeFile(name: VectorIndex.fileName, caseCount: nil, text: VectorIndex(layers).fileText))
    }

    private func write(_ files: [MadeFile], into path: String) throws {
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
private struct MadeFile {
    let name: String
    /// How many cases it has; nil for the index.
    let caseCount: Int?
    let text: String

    /// How the file of this name in a directory is different, for people; nil if it is not.
    func difference(from directory: String) -> String? {
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)") else { return "is not there" }
        guard data != Data(text.utf8) else { return nil }
        let found = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return "from line \(zip(lines, found).prefix { $0 == $1 }.count + 1) on"
    }
}

/// A file that was made, as JSON; whether it is unchanged only where it was compared.
private struct GeneratedLine: Encodable {
    let event = "file"
    let file: String
    let cases: Int?
    let unchanged: Bool?

    init(_ file: MadeFile, unchanged: Bool?) {
        self.file = file.name
        cases = file.caseCount
        self.unchanged = unchanged
    }
}
