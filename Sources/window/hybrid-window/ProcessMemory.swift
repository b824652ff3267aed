import Glibc

/// Keeps other programs of the same user, and the disk, from this process's memory, as `ProcessProtection`
/// does for `hybrid`.
enum ProcessMemory {
    /// `PR_SET_DUMPABLE` of `sys/prctl.h`, prctl(2).
    private static let setDumpable: Int32 = 4
    private static let notDumpable: UInt = 0

    /// Swift cannot call functions with variable arguments; with machine words for arguments it is an ordinary one.
    private typealias ProcessControl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    /// Signals at which the Swift runtime would start a program that reads this process's memory.
    private static let crashes = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV]

    /// Makes the process undumpable, and has a crash end it at once.
    static func protect() {
        for crash in crashes { signal(crash, SIG_DFL) }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        guard let address = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(address, to: ProcessControl.self)(setDumpable, notDumpable, 0, 0, 0)
    }
}
