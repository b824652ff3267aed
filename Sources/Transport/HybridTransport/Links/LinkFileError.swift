internal import Cryptography
internal import HybridProtocol
internal import LinuxSupport

/// Failure to read or change a file of links.
///
/// After any of them the file is as it was.
public typealias LinkFileError = CodedError<LinkFileErrorCode>

/// Kind of error, as an open set of names.
public struct LinkFileErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file is not a file of links, or not a whole one.
    public static let damaged = Self(rawValue: "damaged")
    /// The file was written by a newer version of this program.
    public static let newerVersion = Self(rawValue: "newer-version")
    /// The file's permissions let others than its owner at it.
    public static let exposed = Self(rawValue: "exposed")
    /// The file belongs to another user.
    public static let wrongOwner = Self(rawValue: "wrong-owner")
    /// The path names something other than a regular file.
    public static let notAFile = Self(rawValue: "not-a-file")
    /// Another process keeps the file locked.
    public static let inUse = Self(rawValue: "in-use")
    /// The disk is full, or what this user may use of it.
    public static let noSpace = Self(rawValue: "no-space")
    /// The disk cannot be written to.
    public static let readOnly = Self(rawValue: "read-only")
    /// The system refused to read or write.
    public static let inputOutput = Self(rawValue: "input-output")
    /// The directory for the file is not known.
    public static let noDirectory = Self(rawValue: "no-directory")
    /// There is no room for another link.
    public static let full = Self(rawValue: "full")
    /// The file has no such link.
    public static let unknownLink = Self(rawValue: "unknown-link")
    /// The root secret is sealed under a vault, and that is not open.
    public static let sealed = Self(rawValue: "sealed")
    /// The root secret is sealed under another vault than the one that is open.
    public static let otherVault = Self(rawValue: "other-vault")
    /// libcrypto failed.
    public static let libraryFailure = Self(rawValue: "library-failure")
}

extension LinkFileError {
    /// A file's error, as an error of this module.
    init(_ error: AtomicFileError) {
        self.init(error.code == .tooLarge ? .damaged : Code(rawValue: error.code.rawValue), reason: error.reason)
    }

    init(_ error: CryptographyError) { self.init(.libraryFailure, from: error) }

    /// A directory of the user's.
    ///
    /// - Throws: ``LinkFileError`` `no-directory`.
    static func directory(
        _ directory: UserDirectory, _ environment: [String: String]?
    ) throws(LinkFileError) -> String {
        guard let path = directory.path(environment: environment) else {
            throw LinkFileError(.noDirectory, reason: "neither \(directory.variable) nor HOME is set")
        }
        return path
    }

    static func damaged(_ what: String) -> Self {
        Self(.damaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}
