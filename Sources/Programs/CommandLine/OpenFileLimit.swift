import Glibc

/// The limit of the files that this process may have open.
package enum OpenFileLimit {
    /// With those of one processor enough for `hybrid demo`: its tunnel service keeps 64 files beside its connections,
    /// so that with a limit of 66 it refuses the second one.
    private static let perProcess = 64
    /// SwiftNIO starts a thread for each processor, which has three files, and crashes where it cannot have them.
    private static let perProcessor = 4

    /// Raises the limit to what a command needs, or ends the process with a failure where the system does not let it:
    /// to be called once, before the first task, for which Dispatch opens files and crashes likewise.
    package static func prepare(_ arguments: [String]) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let needed = rlim_t(perProcess + perProcessor * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        guard limit.rlim_cur < needed else { return }
        guard limit.rlim_max < needed else {
            limit.rlim_cur = needed
            // A system that refuses what its hard limit allows has no remedy that is known here.
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return
        }
        let failure = Failure(
            .failure, code: "open-files",
            cause: "this process may have \(limit.rlim_max) open files, and needs \(needed)",
            hint: "start it with a higher hard limit, which ulimit -Hn shows: LimitNOFILE= of a systemd unit, or "
                + "/etc/security/limits.conf, sets it")
        Reporter(isJSON: arguments.contains("--json")).report(failure)
        exit(failure.status.rawValue)
    }
}
