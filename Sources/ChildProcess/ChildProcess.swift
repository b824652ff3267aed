internal import Glibc

/// Starts and kills other programs, without a shell, each in a process group of its own.
package enum ChildProcess {
    /// What becomes of a program's streams; /dev/null where there is none.
    package struct Streams {
        private let input: Int32?
        private let output: Int32?
        private let error: Int32?
        private let file: Int32?

        /// Chooses descriptors of ours.
        ///
        /// - Parameters:
        ///   - input: what it reads on standard input.
        ///   - output: where its standard output goes.
        ///   - error: where its standard error goes.
        ///   - file: a file that it finds at ``ChildProcess/file``.
        package init(input: Int32? = nil, output: Int32? = nil, error: Int32? = nil, file: Int32? = nil) {
            self.input = input
            self.output = output
            self.error = error
            self.file = file
        }

        fileprivate func add(to actions: inout posix_spawn_file_actions_t) {
            for (stream, number, mode) in [
                (input, STDIN_FILENO, O_RDONLY), (output, STDOUT_FILENO, O_WRONLY), (error, STDERR_FILENO, O_WRONLY),
            ] {
                if let stream {
                    posix_spawn_file_actions_adddup2(&actions, stream, number)
                } else {
                    posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
                }
            }
            if let file { posix_spawn_file_actions_adddup2(&actions, file, ChildProcess.fileNumber) }
            // Sockets and pipes of ours must not live on in the program. To close what is not open does no harm.
            let firstOfOurs = file == nil ? ChildProcess.fileNumber : ChildProcess.fileNumber + 1
            for number in firstOfOurs..<ChildProcess.fileLimit { posix_spawn_file_actions_addclose(&actions, number) }
        }
    }

    /// Where a program finds the file that it is given.
    package static let file = "/dev/fd/\(fileNumber)"
    fileprivate static let fileNumber: Int32 = 3
    /// No process has a file of this number unless its limit was raised.
    fileprivate static let fileLimit: Int32 = 1_024

    /// Starts a program. Of our open files it gets the given ones only, and no signal is blocked or ignored.
    ///
    /// - Parameters:
    ///   - command: the program, sought in PATH, and its arguments.
    ///   - streams: what it reads and writes.
    ///   - environment: the names of the variables that it gets; nil for all.
    /// - Returns: its number, and its group's.
    /// - Throws: ``ChildProcessError``.
    package static func spawn(
        _ command: [String], _ streams: Streams, environment: [String]? = nil
    ) throws(ChildProcessError) -> Int32 {
        guard let program = command.first else { throw ChildProcessError(number: ENOENT) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        streams.add(to: &actions)
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
                posix_spawnp(&process, program, &actions, &attributes, arguments, variables)
            } else {
                posix_spawnp(&process, program, &actions, &attributes, arguments, environ)
            }
        guard result == 0 else { throw ChildProcessError(number: result) }
        return process
    }

    /// Kills a program with all that it has started, unless it has ended, and frees its number.
    package static func kill(_ process: Int32) {
        Glibc.kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Those of our own environment.
    private static func variables(_ names: [String]) -> [String] {
        names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }
}

/// Why a program could not be started: an error of the system.
package struct ChildProcessError: Error {
    /// The number of the error: ENOENT for a program that is not installed.
    package let number: Int32

    /// The system's words.
    package var reason: String { String(cString: strerror(number)) }
}
