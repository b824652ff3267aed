/// Failure to open, read or write a credential store.
///
/// Two errors are equal if their codes are: ``reason`` is for people.
public struct CredentialStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of error, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Kind of error.
    public let code: Code
    /// Description of the problem and its remedy, for people: lower case, one line, no secrets.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// True if both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension CredentialStoreError.Code {
    /// There is no room for another credential.
    public static let full = Self(rawValue: "full")
    /// There is no credential with the ID that was named.
    public static let unknownCredential = Self(rawValue: "unknown-credential")
    /// The file is not a credential store, or not a whole one.
    public static let damaged = Self(rawValue: "damaged")
    /// The file was written by a newer version of this program.
    public static let newerVersion = Self(rawValue: "newer-version")
    /// The file belongs to another user.
    public static let wrongOwner = Self(rawValue: "wrong-owner")
    /// The file's permissions let others than its owner at it.
    public static let exposed = Self(rawValue: "exposed")
    /// Another process has the store open.
    public static let inUse = Self(rawValue: "in-use")
    /// The path names something other than a regular file.
    public static let notAFile = Self(rawValue: "not-a-file")
    /// The system refused to read or write.
    public static let inputOutput = Self(rawValue: "input-output")
}
