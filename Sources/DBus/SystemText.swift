#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// What the system calls its errors.
enum SystemText {
    static func error(_ number: Int32) -> String { String(cString: strerror(number)) }
}
