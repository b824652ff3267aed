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

    /// Below the ports that systems give out by themselves, so that nobody gets one in the time until it is used.
    private static let ports: Range<UInt16> = 20_000..<32_000
    private static let given = Mutex<Set<UInt16>>([])

    /// A port of 127.0.0.1 on which nobody listens, by UDP or TCP, and which nobody else in this process gets.
    static func freePort() throws -> UInt16 {
        for _ in ports {
            let port = UInt16.random(in: ports)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            // A program that is started at this moment must not inherit them.
            let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer {
                close(datagrams)
                close(stream)
            }
            if bind(datagrams, port), bind(stream, port) { return port }
        }
        throw Missing(description: "no free port")
    }

    private static func bind(_ socket: Int32, _ port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
