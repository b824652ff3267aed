import Foundation

/// A real peer for a test: a program that runs beside it and says what it does, a line at a time.
public final class ChildProcess: Sendable {
    /// The program's standard output, a line an element, without the line's end.
    public let lines: AsyncStream<String>
    private let process: Process
    private let input: Pipe
    private let exit: AsyncStream<Int32>

    /// Runs a program while `body` runs; it is killed and waited for when `body` is done.
    ///
    /// - Parameters:
    ///   - command: the program, sought in the search path, and its arguments.
    ///   - body: gets the running program.
    public static func with<Result: Sendable>(
        _ command: [String], _ body: (ChildProcess) async throws -> Result
    ) async throws -> Result {
        let child = try ChildProcess(command)
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(child))
        } catch {
            outcome = .failure(error)
        }
        // A program started from a dispatch thread inherits a mask that blocks SIGTERM.
        kill(child.process.processIdentifier, SIGKILL)
        _ = await child.exitStatus()
        return try outcome.get()
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its exit status and the lines of its standard output.
    public static func run(_ command: [String]) async throws -> (status: Int32, lines: [String]) {
        let child = try ChildProcess(command)
        var lines: [String] = []
        for await line in child.lines { lines.append(line) }
        return (await child.exitStatus(), lines)
    }

    /// Writes a line to the program's standard input.
    public func write(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Waits until the program has ended, even if the task is cancelled; to be called once.
    public func exitStatus() async -> Int32 {
        await Task { [exit] in await exit.first { _ in true } ?? -1 }.value
    }

    private init(_ command: [String]) throws {
        let (lines, lineContinuation) = AsyncStream<String>.makeStream()
        let (exit, exitContinuation) = AsyncStream<Int32>.makeStream()
        let output = Pipe()
        input = Pipe()
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        // It ends with this process, and a peer that reads it can end then too.
        process.standardInput = input
        process.standardOutput = output
        process.terminationHandler = { process in
            ChildSupervisor.remove(process.processIdentifier)
            exitContinuation.yield(process.terminationStatus)
            exitContinuation.finish()
        }
        self.lines = lines
        self.exit = exit
        try process.run()
        ChildSupervisor.add(process.processIdentifier)
        // It may have ended before.
        if !process.isRunning { ChildSupervisor.remove(process.processIdentifier) }
        Thread.detachNewThread {
            var partial: [UInt8] = []
            while true {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { break }
                partial.append(contentsOf: bytes)
                while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                    lineContinuation.yield(String(decoding: partial[..<end], as: UTF8.self))
                    partial.removeSubrange(...end)
                }
            }
            if !partial.isEmpty { lineContinuation.yield(String(decoding: partial, as: UTF8.self)) }
            lineContinuation.finish()
        }
    }
}
