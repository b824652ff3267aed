import Glibc

/// Keeps other programs of the same user, and the disk, from what is in this process's memory.
///
/// The process is made undumpable before a passphrase or a key is in it: it leaves no core dump, and no other process
/// but the administrator's can trace it or read its memory. Memory is not locked against swapping: libcrypto's keys lie
/// in the ordinary heap, so it would have to be all of it, and what an ordinary user may lock (8 MiB) is less than
/// scrypt alone takes. Users for whom swap space is a risk should encrypt it.
enum ProcessProtection {
    /// `PR_SET_DUMPABLE` of `sys/prctl.h`, prctl(2).
    private static let setDumpable: Int32 = 4
    private static let notDumpable: UInt = 0

    /// Swift cannot call functions with variable arguments; with machine words for arguments it is an ordinary one.
    private typealias ProcessControl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    /// Makes the process undumpable.
    static func begin() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        guard let address = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(address, to: ProcessControl.self)(setDumpable, notDumpable, 0, 0, 0)
    }
}
