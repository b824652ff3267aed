internal import Foundation
internal import Glibc
internal import VectorCases

/// The program: `vector-generator SOURCES [--check] DIRECTORY`, where SOURCES is `tools/vectors/sources`.
@main
enum VectorGenerator {
    private static let usage = "usage: tools/vector-generator/run [--check] DIRECTORY"

    static func main() {
        do { try run() } catch { fail("\(error)") }
    }

    private static func run() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count > 1, let directory = arguments.popLast(), !directory.hasPrefix("-") else { fail(usage) }
        let sources = arguments.removeFirst()
        switch arguments {
        case []: try write(files(sources), into: directory)
        case ["--check"]: compare(try files(sources), with: directory)
        default: fail(usage)
        }
    }

    private static func files(_ sources: String) throws -> [VectorText] {
        let sources = VectorSources(path: sources)
        return try files(VectorLayer.all, sources, in: "")
            + VectorLayer.own.sorted { $0.key < $1.key }.flatMap { try files($1, sources, in: "\($0)/") }
    }

    private static func files(
        _ layers: [VectorLayer], _ sources: VectorSources, in folder: String
    ) throws -> [VectorText] {
        let layers = try layers.map { try $0.cases(sources) }
        let index = VectorIndex(layers)
        print("\(folder)\(folder.isEmpty ? "" : " ")\(layers.count + 1) files, \(index.caseCount) cases")
        return layers.map { VectorText(name: folder + $0.fileName, text: $0.fileText) }
            + [VectorText(name: folder + VectorIndex.fileName, text: index.fileText)]
    }

    private static func write(_ files: [VectorText], into directory: String) throws {
        for file in files {
            let place = URL(filePath: "\(directory)/\(file.name)")
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.text.utf8).write(to: place, options: .atomic)
        }
    }

    private static func compare(_ files: [VectorText], with directory: String) {
        let differences = files.compactMap { file in file.difference(from: directory).map { "\(file.name) \($0)" } }
        guard differences.isEmpty else { fail("not as they are made here: \(differences.joined(separator: "; "))") }
    }

    private static func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("vector-generator: error: \(reason)\n".utf8))
        exit(EXIT_FAILURE)
    }
}

/// A file that was made.
private struct VectorText {
    let name: String
    let text: String

    /// Difference between the file of this name in a directory and this one, for people; nil without any.
    func difference(from directory: String) -> String? {
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)") else { return "is not there" }
        guard data != Data(text.utf8) else { return nil }
        let found = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return "from line \(zip(lines, found).prefix { $0 == $1 }.count + 1) on"
    }
}
