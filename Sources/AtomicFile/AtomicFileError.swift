/// Why a file could not be locked, read or replaced.
///
/// Two errors are equal if their codes are: ``reason`` is for people.
public struct AtomicFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong and what can be done, for people: lower case, one line, nothing of the contents.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension AtomicFileError.Code {
    /// The file belongs to another user.
    public static let wrongOwner = Self(rawValue: "wrong-owner")
    /// The file's permissions let others than its owner at it.
    public static let exposed = Self(rawValue: "exposed")
    /// Another process has the file locked.
    public static let inUse = Self(rawValue: "in-use")
    /// The path names something else than a regular file.
    public static let notAFile = Self(rawValue: "not-a-file")
    /// There is a file already where a new one was to be made.
    public static let exists = Self(rawValue: "exists")
    /// The file is larger than its reader takes.
    public static let tooLarge = Self(rawValue: "too-large")
    /// The disk is full, or what this user may use of it.
    public static let noSpace = Self(rawValue: "no-space")
    /// The disk cannot be written to.
    public static let readOnly = Self(rawValue: "read-only")
    /// The system refused to open, read or write.
    public static let inputOutput = Self(rawValue: "input-output")
}
