import ChildProcess
import Glibc

// Starting other programs, and how they end.

extension ChildProgram {
    /// How a program ended.
    enum End: Equatable {
        case exited(Int32)
        /// Killed by us, for what was wanted had come.
        case stopped
        case killed
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, sought in PATH, and its arguments.
    ///   - environment: the names of the variables that it gets; nil for all.
    /// - Throws: ``Problem``.
    static func spawn(
        _ command: [String], _ streams: ChildProcess.Streams, environment: [String]? = nil
    ) throws(Problem) -> pid_t {
        do {
            return try ChildProcess.spawn(command, streams, environment: environment)
        } catch {
            throw error.number == ENOENT ? .missing : .failed(SystemError(number: error.number))
        }
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
