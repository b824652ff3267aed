@_exported public import Errors

/// Failure to open, read or write a credential store.
public typealias CredentialStoreError = CodedError<CredentialStoreErrorCode>

/// Kind of error, as an open set of names.
public struct CredentialStoreErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

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
