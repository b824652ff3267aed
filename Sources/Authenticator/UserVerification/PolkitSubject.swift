internal import Glibc
internal import LinuxSupport

/// Subject of a polkit question: a process, by which polkit finds the session and the user.
///
/// Source: polkit's D-Bus interface, "Subject", `unix-process`.
struct PolkitSubject: Sendable, Hashable {
    /// The process's number.
    let process: UInt32
    /// Start time, in the kernel's ticks since boot: with the number, it identifies a process.
    let startTime: UInt64
    /// Its user.
    let user: Int32

    /// Index of the start time among the fields after the process's name (proc_pid_stat(5): field 22, the name is field
    /// 2).
    private static let startTimeIndex = 19

    init(process: UInt32, startTime: UInt64, user: Int32) {
        self.process = process
        self.startTime = startTime
        self.user = user
    }

    /// This process.
    ///
    /// - Throws: ``VerificationError`` with `service-failed` without /proc.
    static func current() throws(VerificationError) -> Self {
        let fields = SystemFile.firstLine(of: "/proc/self/stat").flatMap { line in
            line.lastIndex(of: ")").map { line[line.index(after: $0)...].split(separator: " ") }
        }
        // There must be a field after it: otherwise the line may have been cut within it.
        guard let fields, fields.count > startTimeIndex + 1, let startTime = UInt64(fields[startTimeIndex]) else {
            throw VerificationError(
                .serviceFailed, reason: "/proc/self/stat does not say when this process was started")
        }
        return Self(
            process: UInt32(bitPattern: getpid()), startTime: startTime, user: Int32(bitPattern: getuid()))
    }

    var value: DBusValue {
        .structure([
            .string("unix-process"),
            .dictionary(["pid": .uint32(process), "start-time": .uint64(startTime), "uid": .int32(user)]),
        ])
    }
}
