/// A failure to lock, read or replace a file.
package typealias AtomicFileError = CodedError<AtomicFileErrorCode>

/// The kind of failure, as an open set of names.
package struct AtomicFileErrorCode: ErrorCode {
    /// The name.
    package let rawValue: String

    /// Makes a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file belongs to another user.
    package static let wrongOwner = Self(rawValue: "wrong-owner")
    /// The file's permissions give others than its owner access.
    package static let exposed = Self(rawValue: "exposed")
    /// Another process has the file locked.
    package static let inUse = Self(rawValue: "in-use")
    /// The path names something other than a regular file.
    package static let notAFile = Self(rawValue: "not-a-file")
    /// A file exists in the place of a new one.
    package static let exists = Self(rawValue: "exists")
    /// The file is larger than its reader takes.
    package static let tooLarge = Self(rawValue: "too-large")
    /// The disk is full, or this user's quota is used up.
    package static let noSpace = Self(rawValue: "no-space")
    /// The disk cannot be written to.
    package static let readOnly = Self(rawValue: "read-only")
    /// The system refused to open, read or write.
    package static let inputOutput = Self(rawValue: "input-output")
}
