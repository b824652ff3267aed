@_exported public import Errors

/// A failure to have a security key, or the end of one.
package typealias SecurityKeyError = CodedError<SecurityKeyErrorCode>

/// The kind of failure.
package enum SecurityKeyErrorCode: String, ErrorCode {
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
