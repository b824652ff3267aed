import Foundation
import TestPeers
import Testing

/// Corpora of tools/fuzz, each executed by its target without a fuzzer, within the bounds of its cost.
@Suite("Of the corpora of the fuzzers", .timeLimit(.minutes(5)))
struct FuzzCorporaTests {
    private static let program =
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "fuzz-corpora").path
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../tools/fuzz/corpus").standardized
    private static let corpora = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
    /// Kinds of cost.
    private static let kinds = ["allocated", "held", "time"]

    /// Executes a corpus.
    ///
    /// - Returns: the program's status and its output.
    private func execute(_ target: String, _ corpus: String) async throws -> (status: Int32, lines: [String]) {
        // Sets and dictionaries cost the same each time.
        try await ChildProcess.run(["SWIFT_DETERMINISTIC_HASHING=1", Self.program, target, corpus])
    }

    @Test("every target has a corpus, and every corpus a target")
    func complete() async throws {
        let targets = try await ChildProcess.run([Self.program]).lines
        #expect(targets.count >= 37)
        #expect(targets.map { "\($0).txt" }.sorted() == Self.corpora)
    }

    @Test("every input holds what its target knows, and costs no more than its bytes may", arguments: corpora)
    func corpus(_ name: String) async throws {
        let file = Self.folder.appending(path: name)
        let inputs = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(inputs.count >= 3)
        for kind in Self.kinds {
            #expect(inputs.contains { $0.split(separator: " ").dropFirst().contains(Substring(kind)) }, "no dearest")
        }
        let (status, lines) = try await execute(String(name.dropLast(4)), file.path)
        #expect(status == 0)
        #expect(lines.filter { $0.hasPrefix("over: ") } == [])
        #expect(lines.contains("executed \(inputs.count)"))
        for kind in Self.kinds { #expect(lines.contains { $0.hasPrefix("\(kind) ") }) }
    }

    @Test(
        "what costs more than its bytes may is noticed",
        arguments: [
            ("copies-the-rest", "allocated", [UInt8](repeating: 7, count: 3_000)),
            ("holds-what-is-said", "held", [0xff, 0xff, 0xff]),
            ("compares-each-with-each", "time", [UInt8](repeating: 7, count: 4_000)),
        ])
    func superlinear(_ target: String, _ kind: String, _ input: [UInt8]) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "hybrid-corpus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        // One byte is within the bound.
        let lines = ["00", input.map { String(format: "%02x", $0) }.joined()]
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let (status, told) = try await execute(target, file.path)
        #expect(status == 1)
        #expect(told.contains { $0.hasPrefix("over: line 2: \(kind) ") })
        #expect(!told.contains { $0.hasPrefix("over: line 1: ") })
    }
}
