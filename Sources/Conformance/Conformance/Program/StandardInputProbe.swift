internal import Glibc

/// A second reader of a program's standard input, a pipe, who reads nothing: it learns whether the program has.
final class StandardInputProbe: Sendable {
    private let file: Int32

    /// Opens the pipe; nil if the program has closed it, or has ended.
    ///
    /// - Parameter process: the program's number.
    init?(_ process: pid_t) {
        file = open("/proc/\(process)/fd/0", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
    }

    deinit { close(file) }

    /// True if nothing is left in the pipe.
    var isRead: Bool {
        var byteCount: Int32 = 0
        return ioctl(file, UInt(FIONREAD), &byteCount) == 0 && byteCount == 0
    }
}
