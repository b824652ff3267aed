import Glibc

/// Runs another program for what it writes, without a shell, within bounds of time and length.
///
/// It gets nothing to read, and its words for people are thrown away. It is killed, with all that it has started, when the time is
/// up, the task is cancelled, it has written too much, or what was wanted has come.
enum ChildProgram {
    /// Why there is no output.
    enum Problem: Error {
        /// It is not installed.
        case missing
        case timeUp
        case tooLong
        case failed(SystemError)
    }

    /// How it ended.
    enum End: Equatable {
        case exited(Int32)
        /// Killed by us, for what was wanted had come.
        case stopped
        case killed
    }

    /// How long a look for output, or for the end, lasts, in milliseconds.
    private static let patience: Int32 = 100
    private static let brevity: Int32 = 10
    private static let chunk = 4_096
    /// Where the program finds the file that it is given.
    static let file = "/dev/fd/\(fileNumber)"
    private static let fileNumber: Int32 = 3

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - command: the program, sought in PATH, and its arguments.
    ///   - file: a file that it finds at ``file``; none if nil.
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
            process = try spawn(command, output: ends[1], file)
        }
        var output: [UInt8] = []
        let deadline = ContinuousClock.now + timeLimit
        do {
            if try read(reading, into: &output, deadline, lengthLimit, enough) {
                kill(process)
                return (output, .stopped)
            }
            return (output, try end(of: process, deadline))
        } catch {
            kill(process)
            throw error
        }
    }

    /// Kills it with all that it has started.
    private static func kill(_ process: pid_t) {
        Glibc.kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Waits for the end of a program that writes no more.
    private static func end(of process: pid_t, _ deadline: ContinuousClock.Instant) throws -> End {
        var status: Int32 = 0
        while true {
            let result = waitpid(process, &status, WNOHANG)
            if result == process { return status & signalBits == 0 ? .exited(status >> exitShift & exitBits) : .killed }
            guard result == 0 || errno == EINTR else { throw Problem.failed(.last) }
            try Task.checkCancellation()
            guard ContinuousClock.now < deadline else { throw Problem.timeUp }
            poll(nil, 0, brevity)
        }
    }

    // A process's status as wait(2) gives it.
    private static let signalBits: Int32 = 0x7f
    private static let exitShift: Int32 = 8
    private static let exitBits: Int32 = 0xff

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

    private static func spawn(_ command: [String], output: Int32, _ file: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        if let file { posix_spawn_file_actions_adddup2(&actions, file, fileNumber) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let arguments = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, command[0], &actions, &attributes, arguments, environ)
        guard result == 0 else {
            throw result == ENOENT ? Problem.missing : Problem.failed(SystemError(number: result))
        }
        return process
    }
}
