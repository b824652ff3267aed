import Foundation

/// The process that serves, and its use of memory and processor.
struct ServerProcess: Sendable {
    /// The port that it listens on.
    let port: Int
    private let identifier: Int32

    /// The process did not say its port.
    struct NotStarted: Error {}

    /// Runs one for the time of `body`.
    static func with<Result>(_ task: ServerTask, _ body: (ServerProcess) async throws -> Result) async throws -> Result
    {
        let (server, process, input) = try start(task)
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        return try await body(server)
    }

    /// Runs several, each in a process of its own, for the time of `body`.
    static func with(_ tasks: [ServerTask], _ body: ([ServerProcess]) async throws -> Void) async throws {
        guard let first = tasks.first else { return try await body([]) }
        try await with(first) { server in
            try await with(Array(tasks.dropFirst())) { try await body([server] + $0) }
        }
    }

    /// Starts one, which runs until its standard input is closed, or it is killed.
    static func start(_ task: ServerTask) throws -> (server: ServerProcess, process: Process, input: Pipe) {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        process.executableURL = task.program
        process.arguments = task.arguments
        process.environment = task.environment
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.prefix { $0.isNumber }) else { throw NotStarted() }
        return (ServerProcess(port: port, identifier: process.processIdentifier), process, input)
    }

    /// The resident memory, bytes.
    func residentBytes() throws -> Int {
        let pages = try fields("statm").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The CPU time that all its threads have used so far, user's and system's, nanoseconds.
    func processorTime() throws -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { throw NotStarted() }
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private func fields(_ name: String) throws -> [Substring] {
        try String(contentsOfFile: "/proc/\(identifier)/\(name)", encoding: .utf8).split(separator: " ")
    }
}

/// The number of files that a process may open.
enum OpenFileLimit {
    /// Raises the limit as far as it goes: every tunnel takes two on either side.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
