import ChildProcess
import Glibc

extension ChildProgram {
    /// Gives a program something to read and takes what it writes, within bounds of time and length, without holding a thread.
    ///
    /// It ends with the program; what the program has started ends with it. The program is killed, with all that it has started, when
    /// the time is up, the task is cancelled, or it has written too much.
    ///
    /// - Parameters:
    ///   - command: the program, sought in PATH, and its arguments.
    ///   - input: what it finds on its standard input. It need not read it.
    ///   - environment: the names of the variables that it gets of ours.
    ///   - timeLimit: how long it may run.
    ///   - lengthLimit: how many bytes it may write to its standard output.
    ///   - hear: gets each line of its standard error.
    /// - Throws: ``Problem``; `CancellationError`.
    static func converse(
        _ command: [String], input: [UInt8], environment: [String], timeLimit: Duration, lengthLimit: Int,
        hear: (String) -> Void
    ) async throws -> (output: [UInt8], end: End) {
        let mostWordsAtOnce = 1 << 16
        let deadline = ContinuousClock.now + timeLimit
        var pipes: [Pipe] = [try Pipe(), try Pipe(), try Pipe()]
        defer { for index in pipes.indices { pipes[index].close() } }
        let streams = ChildProcess.Streams(input: pipes[0].reading, output: pipes[1].writing, error: pipes[2].writing)
        let process = try spawn(command, streams, environment: environment)
        pipes[0].keepWriting()
        pipes[1].keepReading()
        pipes[2].keepReading()
        var rest = input[...]
        var output: [UInt8] = []
        var lines = LineReader()
        do {
            while true {
                // In this order: what was written before the end is there when the end is seen.
                let end = try end(of: process)
                if rest.isEmpty { pipes[0].close() } else { pipes[0].write(&rest) }
                output += pipes[1].read(atMost: lengthLimit + 1 - output.count)
                guard output.count <= lengthLimit else { throw Problem.tooLong }
                for line in lines.lines(of: pipes[2].read(atMost: mostWordsAtOnce), isLast: end != nil) { hear(line) }
                if let end { return (output, end) }
                guard ContinuousClock.now < deadline else { throw Problem.timeUp }
                try await Task.sleep(for: .milliseconds(brevity))
            }
        } catch {
            ChildProcess.kill(process)
            throw error
        }
    }
}

/// A pipe between us and a program.
private struct Pipe {
    private(set) var reading: Int32
    private(set) var writing: Int32

    init() throws(ChildProgram.Problem) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failed(.last) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = ends[0]
        writing = ends[1]
    }

    /// Leaves the reading end to the program.
    mutating func keepWriting() { Self.keep(writing, close: &reading) }

    /// Leaves the writing end to the program.
    mutating func keepReading() { Self.keep(reading, close: &writing) }

    mutating func close() {
        Self.close(&reading)
        Self.close(&writing)
    }

    /// Writes as much as is taken now.
    mutating func write(_ bytes: inout ArraySlice<UInt8>) {
        guard writing >= 0 else { return }
        let count = bytes.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
        if count > 0 {
            bytes = bytes.dropFirst(count)
        } else if count < 0, errno != EAGAIN, errno != EINTR {
            // Nobody reads it any more.
            bytes = []
        }
    }

    /// Reads what is there now.
    func read(atMost limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: ChildProgram.chunk)
        while bytes.count < limit {
            let most = min(buffer.count, limit - bytes.count)
            let count = buffer.withUnsafeMutableBytes { Glibc.read(reading, $0.baseAddress, most) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    private static func keep(_ end: Int32, close other: inout Int32) {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        close(&other)
    }

    private static func close(_ file: inout Int32) {
        if file >= 0 { Glibc.close(file) }
        file = -1
    }
}

/// The lines of a program's words, of bounded length and number: what is beyond is thrown away.
private struct LineReader {
    private var line: [UInt8] = []
    private var linesLeft = 100

    private static let longestLine = 400

    mutating func lines(of bytes: [UInt8], isLast: Bool) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(contentsOf: take())
            } else if line.count < Self.longestLine {
                line.append(byte)
            }
        }
        if isLast, !line.isEmpty { lines.append(contentsOf: take()) }
        return lines
    }

    private mutating func take() -> [String] {
        defer { line = [] }
        guard linesLeft > 0 else { return [] }
        linesLeft -= 1
        return [String(decoding: line, as: UTF8.self)]
    }
}
