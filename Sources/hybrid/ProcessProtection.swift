import Cryptography
import Glibc

/// Keeps other programs of the same user, and the disk, from what is in this process's memory: in every role, from the
/// first line of the program on.
///
/// The process is made undumpable before a secret is in it: it leaves no core dump, and no other process but the
/// administrator's can trace it or read its memory. Secrets and private keys lie in memory that is never swapped out
/// (`SecretMemory`), as far as the system lets an ordinary user lock some. What a parser or a protocol stack holds for
/// a moment, and scrypt's tables, lie in ordinary memory: users for whom swap space is a risk should encrypt it.
enum ProcessProtection {
    /// The size of the memory for secrets: 1 MiB. A session needs about 2 KiB, a vault of 1,000 passkeys 200 KiB.
    private static let secretByteCount = 1 << 20
    /// `PR_SET_DUMPABLE` of `sys/prctl.h`, prctl(2).
    private static let setDumpable: Int32 = 4
    private static let notDumpable: UInt = 0

    /// Swift cannot call functions with variable arguments; with machine words for arguments it is an ordinary one.
    private typealias ProcessControl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    /// Signals at which the Swift runtime would start a program that reads this process's memory, and prints what its
    /// registers point to; or, where that may not read, waits for it.
    private static let crashes = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV]

    /// Makes the process undumpable, and reserves memory for secrets. A crash ends it at once, and tells nothing of it.
    static func begin() {
        SecretMemory.reserve(byteCount: secretByteCount)
        for crash in crashes { signal(crash, SIG_DFL) }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        guard let address = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(address, to: ProcessControl.self)(setDumpable, notDumpable, 0, 0, 0)
    }

    /// The beginnings of arguments that are secrets: a QR code's text. Every local user can read a command line.
    private static let secretArguments = ["fido:/", "--qr=fido:/", "--secret="]
    /// Options whose next argument is a secret.
    private static let secretOptions: Set = ["--secret"]

    /// Overwrites the secrets in the command line that `ps` shows. To be called when the arguments have been read.
    static func hideArguments() {
        var isSecret = false
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            let text = String(cString: argument)
            let lowerCase = text.lowercased()
            if let beginning = secretArguments.first(where: { lowerCase.hasPrefix($0) }) {
                memset(argument + beginning.utf8.count, CInt(UInt8(ascii: "x")), text.utf8.count - beginning.utf8.count)
            } else if isSecret {
                memset(argument, CInt(UInt8(ascii: "x")), text.utf8.count)
            }
            isSecret = secretOptions.contains(text)
        }
    }
}
