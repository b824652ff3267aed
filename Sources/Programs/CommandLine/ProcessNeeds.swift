import Glibc
import LinuxSupport

/// The needs of a process, without which SwiftNIO, Dispatch or Swift itself fail in other words, or crash.
package enum ProcessNeeds {
    /// With those of one processor enough for `hybrid demo`: its tunnel service keeps 64 files beside its connections,
    /// so that with a limit of 66 it refuses the second one.
    private static let filesPerProcess = 64
    /// SwiftNIO starts a thread for each processor, which has three files, and crashes where it cannot have them.
    private static let filesPerProcessor = 4

    /// Ends the process with a failure where something is missing: to be called once, before the first task, for which
    /// Dispatch opens files.
    package static func prepare(_ arguments: [String]) {
        // Swift reads the arguments there, and has none otherwise.
        guard access("/proc/self/cmdline", R_OK) == 0 else {
            end(
                "no-proc", "the arguments cannot be read: /proc is not mounted", "mount it: mount -t proc proc /proc",
                [])
        }
        prepareOpenFiles(arguments)
    }

    /// Raises the limit of open files to the needs of a command, if the system lets it.
    private static func prepareOpenFiles(_ arguments: [String]) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let needed = rlim_t(filesPerProcess + filesPerProcessor * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        guard limit.rlim_cur < needed else { return }
        guard limit.rlim_max < needed else {
            limit.rlim_cur = needed
            // No remedy is known here for a system that refuses a limit within its hard limit.
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return
        }
        end(
            "open-files", "this process may have \(limit.rlim_max) open files, and needs \(needed)",
            "start it with a higher hard limit, which ulimit -Hn shows: LimitNOFILE= of a systemd unit, or "
                + "/etc/security/limits.conf, sets it", arguments)
    }

    private static func end(_ code: String, _ cause: Sentence, _ hint: Sentence, _ arguments: [String]) -> Never {
        Catalogue.load(from: OwnProgram.languages)
        let failure = Failure(.failure, code: code, cause: cause, hint: hint)
        Reporter(isJSON: arguments.contains("--json")).report(failure)
        exit(failure.status.rawValue)
    }
}
