internal import Glibc

/// The system has no file or no thread left.
package struct PollingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The system's number for it (errno).
    package let number: Int32

    /// What the system calls it.
    package var description: String { String(cString: strerror(number)) }
}
