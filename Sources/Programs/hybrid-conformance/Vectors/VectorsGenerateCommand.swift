import ArgumentParser
import CommandLine
import Conformance
import FoundationEssentials
import LinuxSupport

/// Makes files of vectors from the inputs of their cases.
struct VectorsGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        summary: "Make files of test vectors from the inputs of their cases.",
        details: """
            example:
              hybrid-conformance vectors generate --inputs my-cases \\
                --output my-vectors
              hybrid-conformance vectors generate --inputs my-vectors \\
                --check

            Each case keeps its input, and its expected outcome is replaced by this implementation's. \
            tools/vector-generator makes the project's own vectors from a fixed seed.
            """)

    @Argument(help: .saying("The directory that --check compares with; by default that of --inputs."))
    var directory: String?

    @Option(
        help: .saying("Take the cases' inputs from the files in this directory.", valueName: "directory"),
        completion: .directory)
    var inputs: String

    @Option(
        help: .saying(
            "Write the files into this directory, which is created if it is missing.", valueName: "directory"),
        completion: .directory)
    var output: String?

    @Flag(help: .saying("Compare the files with the existing ones."))
    var check = false

    @Option(help: .saying("Make this layer's file alone; may be repeated.", valueName: "name"))
    var layer: [String] = []

    @OptionGroup var lines: OutputOptions

    func validate() throws {
        guard check != (output != nil) else { throw ValidationError.saying("give --output DIRECTORY or --check") }
        guard directory == nil || check else {
            throw ValidationError.saying("a directory to compare with needs --check")
        }
        let known = VectorFile.layers
        if let unknown = layer.first(where: { !known.contains($0) }) {
            throw ValidationError.saying("no layer \(unknown): there are \(known.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let reporter = lines.reporter()
        try await runCommand(reporter) { try generate(reporter) }
    }

    private func generate(_ reporter: Reporter) throws {
        let compared = check ? directory ?? inputs : nil
        var files: [MadeFile] = []
        var differences: [Sentence] = []
        for made in try VectorGenerator(path: inputs).files() where layer.isEmpty || layer.contains(made.layer) {
            let file = MadeFile(made)
            let difference = compared.flatMap { file.difference(from: $0) }
            reporter.write(
                // Unchanged or not only where it was compared.
                Line(
                    "file",
                    [
                        "file": file.name, "cases": file.caseCount,
                        "unchanged": compared.map { _ in difference == nil },
                    ]),
                orSay: compared == nil
                    ? "\(file.name)"
                    : difference.map { "\(file.name): \($0)" } ?? "\(file.name): the same")
            files.append(file)
            differences += difference.map { ["\(file.name): \($0)"] } ?? []
        }
        if let output { try write(files, into: output) }
        reporter.say("\(files.count) files, \(files.reduce(0) { $0 + $1.caseCount }) cases")
        guard differences.isEmpty else {
            throw Failure(
                .vectors, code: "vectors-changed",
                cause: "different from this program's output: \(differences.joined("; "))",
                hint:
                    "to replace them: hybrid-conformance vectors generate --inputs DIRECTORY --output DIRECTORY"
            )
        }
    }

    private func write(_ files: [MadeFile], into path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for file in files {
                try AtomicFile(path: "\(path)/\(file.name)", access: .masked).replace(with: file.text)
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
    let caseCount: Int
    let text: String

    init(_ file: VectorGenerator.File) {
        name = file.name
        caseCount = file.caseCount
        text = file.text
    }

    /// Difference between the file of this name in a directory and this one, for people; nil without any.
    func difference(from directory: String) -> Sentence? {
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)") else { return "it is not there" }
        guard data != Data(text.utf8) else { return nil }
        let found = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return "different from line \(zip(lines, found).prefix { $0 == $1 }.count + 1) on"
    }
}
