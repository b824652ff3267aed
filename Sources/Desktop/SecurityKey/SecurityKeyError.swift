/// A failure to have a security key, or the end of one.
///
/// Two errors are equal if their codes are.
package struct SecurityKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The kernel offers no /dev/uhid.
        case notAvailable = "no-uhid"
        /// Neither the broker nor /dev/uhid may be used.
        case notPermitted = "uhid-not-permitted"
        /// The broker has made as many keys for this user as one may have.
        case tooMany = "too-many-keys"
        /// The key was taken away: the kernel or the broker has ended it.
        case ended = "key-ended"
        /// Anything else.
        case failed = "key-failed"
    }

    /// The kind of failure.
    package let code: Code
    /// The failure, for people: lower case, one line.
    package let reason: String

    package init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// True if both errors have the same code.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    package var description: String { "\(code.rawValue): \(reason)" }
}
