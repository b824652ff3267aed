import Foundation
import Synchronization
import TestPeers

/// A program that runs beside a test, with everything that it writes.
///
/// It is started in a session of its own, without a terminal and with no signal blocked: Foundation's `Process` hands
/// on the mask of the thread that starts it, and dispatch's threads block the signals that a test sends.
final class Program: Sendable {
    /// The command that started it.
    let command: [String]
    /// Its number.
    let process: pid_t
    private let state = Mutex(State())

    /// One start at a time: a program must not inherit the pipes of another.
    private static let starting = Mutex(())

    private struct State {
        var output: [UInt8] = []
        var error: [UInt8] = []
        var openStreams = 2
        var status: Int32?
    }

    /// One of its streams.
    enum Stream: String, Sendable { case stdout, stderr }

    struct CannotStart: Error {
        let command: [String]
        let reason: String
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, sought in the PATH of `environment`, and its arguments.
    ///   - directory: where it runs.
    ///   - environment: all of its environment.
    ///   - input: its standard input; empty by default.
    init(_ command: [String], in directory: URL, environment: [String: String], input: [UInt8] = []) throws {
        self.command = command
        let (process, pipes) = try Self.starting.withLock { _ in
            try Self.spawn(["setsid", "env", "-C", directory.path] + command, environment)
        }
        self.process = process
        ChildSupervisor.add(process)
        Thread.detachNewThread { Self.write(input, to: pipes[0].writing) }
        Thread.detachNewThread { [self] in read(pipes[1].reading) { $0.output += $1 } }
        Thread.detachNewThread { [self] in read(pipes[2].reading) { $0.error += $1 } }
        Thread.detachNewThread { [self] in reap() }
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String]
    ) throws -> (process: pid_t, pipes: [Pipe]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let pipes = try [Pipe(), Pipe(), Pipe()]
        for (stream, pipe) in pipes.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream == 0 ? pipe.reading : pipe.writing, Int32(stream))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let arguments = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, command[0], &actions, &attributes, arguments, variables)
        close(pipes[0].reading)
        close(pipes[1].writing)
        close(pipes[2].writing)
        guard result == 0 else {
            throw CannotStart(command: command, reason: String(cString: strerror(result)))
        }
        return (process, pipes)
    }

    /// The output so far.
    func text(_ stream: Stream) -> String {
        state.withLock { String(decoding: stream == .stdout ? $0.output : $0.error, as: UTF8.self) }
    }

    /// Its exit status, or 128 and the number of the signal that killed it; nil while it runs, or has not been read to
    /// the end.
    var status: Int32? { state.withLock { $0.openStreams == 0 ? $0.status : nil } }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process, signal) }

    /// Ends it, and whatever it has started, for good.
    func end() { kill(-process, SIGKILL) }

    /// Waits for something; nil if it does not come in time.
    func wait<Value>(atMost limit: Duration, for condition: () throws -> Value?) async throws -> Value? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let value = try condition() { return value }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw CocoaError(.fileReadUnknown) }
            (reading, writing) = (ends[0], ends[1])
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
    }

    private static func write(_ input: [UInt8], to file: Int32) {
        // A program need not read all of its input.
        signal(SIGPIPE, SIG_IGN)
        var rest = input[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        close(file)
    }

    private func read(_ file: Int32, _ append: @Sendable (inout State, ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            state.withLock { append(&$0, buffer[..<count]) }
        }
        close(file)
        state.withLock { $0.openStreams -= 1 }
    }

    private func reap() {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        ChildSupervisor.remove(process)
        let signal = status & 0x7f
        let exit = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        state.withLock { $0.status = exit }
    }
}
