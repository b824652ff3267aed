import Foundation
import Synchronization

/// Place where programs are run: an empty directory, and an environment in which `hybrid` is found.
final class TestContext: Sendable {
    let directory: URL
    /// The folder that keeps the output of its programs.
    let outputs: URL
    let environment: [String: String]
    private let programs = Mutex<[Program]>([])

    /// Makes a context, runs `body` in it, and leaves nothing of it: neither programs nor files.
    static func with<Result>(_ body: (TestContext) async throws -> Result) async throws -> Result {
        let context = try TestContext()
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(context)) } catch { outcome = .failure(error) }
        for program in context.programs.withLock({ $0 }) {
            program.end()
            _ = try? await program.wait(atMost: .seconds(10)) { program.status }
        }
        try? FileManager.default.removeItem(at: context.directory)
        return try outcome.get()
    }

    private init() throws {
        guard FileManager.default.isExecutableFile(atPath: Self.hybrid.path) else {
            throw Missing(description: "\(Self.hybrid.path) is not built: swift build --build-tests")
        }
        directory = FileManager.default.temporaryDirectory.appending(path: "hybrid-test-\(UUID().uuidString)")
        outputs = directory.appending(path: "outputs")
        try FileManager.default.createDirectory(at: outputs, withIntermediateDirectories: true)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        var environment = [
            "PATH": "\(Self.hybrid.deletingLastPathComponent().path):\(Self.built.path):\(path)",
            "HOME": directory.path,
            "LANG": "C.UTF-8", "TERM": "xterm-256color", "PYTHONDONTWRITEBYTECODE": "1",
            "HYBRID_CONFIG": "none",
        ]
        // The mutant that tools/mutate tries.
        environment["MUTANT"] = ProcessInfo.processInfo.environment["MUTANT"]
        self.environment = environment
    }

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a program in this context.
    func start(_ command: [String], environment: [String: String]? = nil, input: [UInt8] = []) throws -> Program {
        let program = try Program(
            command, in: directory, environment: environment ?? self.environment, input: input)
        programs.withLock { $0.append(program) }
        return program
    }

    /// The program that runs the tests.
    static let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    /// The build directory, in which it is.
    private static let built = tests.deletingLastPathComponent()
    /// The program: the one that HYBRID names, or else that of the build directory.
    static let hybrid =
        ProcessInfo.processInfo.environment["HYBRID"].map { URL(filePath: $0) }
        ?? built.appending(path: "hybrid")
    static let peers = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers").standardized
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures")
        .standardized
    static let vectors = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Vectors")
        .standardized
}
