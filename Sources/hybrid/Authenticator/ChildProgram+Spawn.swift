import Glibc

// Starting and ending other programs: each in a process group of its own, without a shell.

extension ChildProgram {
    /// What becomes of a program's streams; /dev/null where there is none.
    struct Streams {
        var input: Int32?
        var output: Int32?
        var error: Int32?
        /// A file that the program finds at ``ChildProgram/file``.
        var file: Int32?
    }

    /// How it ended.
    enum End: Equatable {
        case exited(Int32)
        /// Killed by us, for what was wanted had come.
        case stopped
        case killed
    }

    /// Where the program finds the file that it is given.
    static let file = "/dev/fd/\(fileNumber)"
    private static let fileNumber: Int32 = 3

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, sought in PATH, and its arguments.
    ///   - environment: the names of the variables that it gets; nil for all.
    /// - Throws: ``Problem``.
    static func spawn(_ command: [String], _ streams: Streams, environment: [String]? = nil) throws(Problem) -> pid_t {
        keepOurFiles()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, number, mode) in [
            (streams.input, STDIN_FILENO, O_RDONLY), (streams.output, STDOUT_FILENO, O_WRONLY),
            (streams.error, STDERR_FILENO, O_WRONLY),
        ] {
            if let stream {
                posix_spawn_file_actions_adddup2(&actions, stream, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
            }
        }
        if let file = streams.file { posix_spawn_file_actions_adddup2(&actions, file, fileNumber) }
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
        let variables = environment.map { names in Self.variables(names).map { strdup($0) } + [nil] }
        defer { for text in variables ?? [] { free(text) } }
        var process: pid_t = 0
        let result =
            if let variables {
                posix_spawnp(&process, command[0], &actions, &attributes, arguments, variables)
            } else {
                posix_spawnp(&process, command[0], &actions, &attributes, arguments, environ)
            }
        guard result == 0 else {
            throw result == ENOENT ? .missing : .failed(SystemError(number: result))
        }
        return process
    }

    /// Keeps all open files from the programs that are started: SwiftNIO's sockets, and what we have inherited ourselves.
    private static func keepOurFiles() {
        guard let directory = opendir("/proc/self/fd") else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if let file = Int32(name), file > STDERR_FILENO { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        }
    }

    /// Those of our own environment.
    private static func variables(_ names: [String]) -> [String] {
        names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }

    /// Kills it with all that it has started.
    static func kill(_ process: pid_t) {
        Glibc.kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// How it has ended; nil if it has not. What it had started ends with it.
    ///
    /// - Throws: ``Problem``.
    static func end(of process: pid_t) throws(Problem) -> End? {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
            throw .failed(.last)
        }
        guard information.si_signo == SIGCHLD else { return nil }
        // Until the next call its number is nobody else's.
        Glibc.kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw .failed(.last) }
        }
        return status & signalBits == 0 ? .exited(status >> exitShift & exitBits) : .killed
    }

    // A process's status as wait(2) gives it.
    private static let signalBits: Int32 = 0x7f
    private static let exitShift: Int32 = 8
    private static let exitBits: Int32 = 0xff
}
