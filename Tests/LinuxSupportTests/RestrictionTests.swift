import Foundation
import TestPeers
import Testing

/// The rights of a process that has been taken over after it has given them up: the attacker is a program in C.
@Suite(.timeLimit(.minutes(5))) struct RestrictionTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let library = here.appending(path: "../../Sources/Linux/COptionalLibraries").standardized
    private static let killed = Int32(SIGKILL)

    /// Compiles the attacker with an implementation of `restrict_process`, and runs `body` with its path.
    private func attacker(_ implementation: String, _ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (source, program) = (folder.appending(path: "restriction.c"), folder.appending(path: "attacker").path)
        try Data(implementation.utf8).write(to: source)
        let compiled = try await ChildProcess.run([
            "cc", "-pthread", "-I\(Self.library.appending(path: "include").path)", "-o", program, source.path,
            Self.here.appending(path: "Peers/restricted.c").path,
        ])
        try #require(compiled.status == 0)
        try await body(program)
    }

    @Test func nothingWorks() async throws {
        let ours = try String(contentsOf: Self.library.appending(path: "restriction.c"), encoding: .utf8)
        try await attacker(ours) { program in
            let (status, lines) = try await ChildProcess.run([program])
            #expect(status == 0 && lines == ["0 things worked"], "\(lines)")
            // It has a second of a processor.
            #expect(try await ChildProcess.run([program, "loop"]).status == Self.killed)
        }
    }

    @Test func theAttackerNoticesWhatWorks() async throws {
        let none = "#include <stddef.h>\nint restrict_process(size_t m, unsigned s) { return 0 * (m + s); }\n"
        try await attacker(none) { program in
            let (status, lines) = try await ChildProcess.run([program])
            #expect(status != 0 && lines.contains { $0.hasPrefix("socket: ") }, "\(lines)")
        }
    }
}
