internal import Glibc

/// What the system calls its errors.
enum SystemText {
    static func error(_ number: Int32) -> String { String(cString: strerror(number)) }
}
