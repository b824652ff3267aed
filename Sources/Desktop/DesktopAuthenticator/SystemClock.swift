internal import Glibc

/// The system's time.
enum SystemClock {
    /// Now, in seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }
}
