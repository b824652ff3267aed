import ChildProcess
import Glibc

/// Runs other programs for what they write, without a shell, within bounds of time and length.
enum ChildProgram {
    /// Why there is no output.
    enum Problem: Error {
        /// It is not installed.
        case missing
        case timeUp
        case tooLong
        case failed(SystemError)
    }

    /// How long a look for output, or for the end, lasts, in milliseconds.
    private static let patience: Int32 = 100
    static let brevity: Int32 = 10
    static let chunk = 4_096

    /// Runs a program that needs nothing to read, and whose words for people are thrown away.
    ///
    /// It is killed, with all that it has started, when the time is up, the task is cancelled, it has written too much, or what was
    /// wanted has come.
    ///
    /// - Parameters:
    ///   - command: the program, sought in PATH, and its arguments.
    ///   - file: a file that it finds at ``ChildProcess/file``; none if nil.
    ///   - timeLimit: how long it may run.
    ///   - lengthLimit: how many bytes it may write.
    ///   - enough: whether what it has written so far is enough.
    /// - Throws: ``Problem``; `CancellationError`.
    static func run(
        _ command: [String], file: Int32? = nil, timeLimit: Duration, lengthLimit: Int,
        until enough: ([UInt8]) -> Bool = { _ in false }
    ) throws -> (output: [UInt8], end: End) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Problem.failed(.last) }
        let reading = ends[0]
        defer { close(reading) }
        _ = fcntl(reading, F_SETFD, FD_CLOEXEC)
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try spawn(command, ChildProcess.Streams(output: ends[1], file: file))
        }
        var output: [UInt8] = []
        let deadline = ContinuousClock.now + timeLimit
        do {
            if try read(reading, into: &output, deadline, lengthLimit, enough) {
                ChildProcess.kill(process)
                return (output, .stopped)
            }
            return (output, try end(of: process, deadline))
        } catch {
            ChildProcess.kill(process)
            throw error
        }
    }

    /// Waits for the end of a program that writes no more.
    private static func end(of process: pid_t, _ deadline: ContinuousClock.Instant) throws -> End {
        while true {
            if let end = try end(of: process) { return end }
            try Task.checkCancellation()
            guard ContinuousClock.now < deadline else { throw Problem.timeUp }
            poll(nil, 0, brevity)
        }
    }

    private static func read(
        _ file: Int32, into output: inout [UInt8], _ deadline: ContinuousClock.Instant, _ limit: Int,
        _ enough: ([UInt8]) -> Bool
    ) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
            try Task.checkCancellation()
            guard ContinuousClock.now < deadline else { throw Problem.timeUp }
            var readiness = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, patience) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            output += buffer.prefix(count)
            guard output.count <= limit else { throw Problem.tooLong }
            if enough(output) { return true }
        }
    }
}
