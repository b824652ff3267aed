internal import DBus
internal import Glibc
internal import PasskeyAuthenticator

/// Whom polkit is to ask: a process, of which it finds the session and the user.
///
/// Source: polkit's D-Bus interface, "Subject", `unix-process`.
struct PolkitSubject: Sendable, Hashable {
    /// The process's number.
    let process: UInt32
    /// When it was started, in the kernel's ticks since the machine was: numbers are used again, this is not.
    let startTime: UInt64
    /// Its user.
    let user: Int32

    /// Where the start time is among the fields that follow the process's name (proc_pid_stat(5): field 22, the name is field 2).
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
        let fields = ProcessEnvironment.firstLine(of: "/proc/self/stat").flatMap { line in
            line.lastIndex(of: ")").map { line[line.index(after: $0)...].split(separator: " ") }
        }
        // One field more, so that this one is whole.
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
