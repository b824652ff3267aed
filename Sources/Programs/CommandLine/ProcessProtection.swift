import Cryptography
import Glibc
package import HybridProtocol

/// Keeps other programs of the same user, and the disk, from this process's memory: in every role, from the first line
/// of the program on.
///
/// The process is made undumpable before a secret is in it: it leaves no core dump, and no other process but the
/// administrator's can trace it or read its memory. Secrets and private keys lie in memory that is never swapped out
/// (`SecretMemory`), as far as the system lets an ordinary user lock some. The buffers of parsers and protocol stacks,
/// and scrypt's tables, lie in ordinary memory: users for whom swap space is a risk should encrypt it.
package enum ProcessProtection {
    /// The size of the memory for secrets: 1 MiB. A session needs about 2 KiB, a vault of 1,000 passkeys 200 KiB.
    private static let secretByteCount = 1 << 20
    /// `PR_SET_DUMPABLE` of `sys/prctl.h`, prctl(2).
    private static let setDumpable: Int32 = 4
    private static let notDumpable: UInt = 0

    /// Swift cannot call functions with variable arguments; with machine words for arguments it is an ordinary one.
    private typealias ProcessControl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    /// Signals at which the Swift runtime would start a program that reads this process's memory, and prints the bytes
    /// that its registers point to; or, where that may not read, waits for it.
    private static let crashes = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV]

    /// Makes the process undumpable, and reserves memory for secrets. A crash ends it at once, and tells nothing of it.
    package static func begin() {
        SecretMemory.reserve(byteCount: secretByteCount)
        for crash in crashes { signal(crash, SIG_DFL) }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        guard let address = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(address, to: ProcessControl.self)(setDumpable, notDumpable, 0, 0, 0)
    }

    /// Options whose values are secrets, whatever they look like.
    private static let secretOptions: Set = ["--secret"]

    /// Overwrites the secrets in the command line that `ps` shows, which every local user can read: the text of each
    /// kind of code, and the values of some options. To be called when the arguments have been read.
    ///
    /// - Parameter codes: the schemes of the codes.
    package static func hideArguments(codes: [InvitationScheme]) {
        var option = ""
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            let text = String(cString: argument)
            if let shown = shownByteCount(of: text, behind: option, codes) {
                memset(argument + shown, CInt(UInt8(ascii: "x")), text.utf8.count - shown)
            }
            option = text
        }
    }

    /// The number of bytes at the beginning of an argument that may be seen; nil if all of it may be.
    private static func shownByteCount(
        of argument: String, behind option: String, _ codes: [InvitationScheme]
    ) -> Int? {
        guard !secretOptions.contains(option) else { return 0 }
        var value = argument[...]
        if argument.hasPrefix("--"), let mark = argument.firstIndex(of: "=") {
            value = argument[argument.index(after: mark)...]
            guard !secretOptions.contains(String(argument[..<mark])) else {
                return argument.utf8.count - value.utf8.count
            }
        }
        let code = value.drop(while: \.isWhitespace)
        guard let scheme = codes.first(where: { $0.isBeginning(of: code) }) else { return nil }
        return argument.utf8.count - code.utf8.count + scheme.urlPrefix.utf8.count
    }
}
