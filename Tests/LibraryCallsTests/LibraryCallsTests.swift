import Foundation
import TestPeers
import Testing

/// Calls of the C library: the memory given back to the allocator, and the order in which files are changed.
@Suite("Of the calls of the C library", .timeLimit(.minutes(5)))
struct LibraryCallsTests {
    private static let program =
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "library-calls").path

    private func lines(_ arguments: String...) async throws -> [String] {
        let (status, lines) = try await ChildProcess.run([Self.program] + arguments)
        try #require(status == 0)
        return lines
    }

    @Test(
        "those are seen that give a secret back as it was, where it was not wiped",
        arguments: ["array", "secret array that is taken"])
    func isSeen(_ thing: String) async throws {
        #expect(try await lines("memory", thing) == ["freed 1"])
    }

    @Test(
        "none gives memory back in which a secret is",
        arguments: [
            "secret array", "secret array that is there", "secret array that is cut", "secret array on an error",
            "secret bytes", "key wrapping", "vault", "file of passkeys", "imported passkey", "link", "file of links",
            "sealed root secret", "linking", "linking nearby", "first message", "messages", "invitation", "key log",
            "passphrase that is taken", "passphrase that is not taken",
        ])
    func wiped(_ thing: String) async throws {
        #expect(try await lines("memory", thing) == ["freed 0"])
    }

    @Test(
        "a file is on the disk before it takes its place, and its place before that is told",
        arguments: [
            ("replace", ["write f.new", "fsync f.new", "rename f.new f", "fsync ."]),
            ("create", ["write f", "fsync f", "fsync ."]),
        ])
    func order(_ thing: String, _ expected: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-calls-test-\(UUID().uuidString)")
            .resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await lines("files", thing, folder.path) == expected)
    }
}
