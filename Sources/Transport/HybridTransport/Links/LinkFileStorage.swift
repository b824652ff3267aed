internal import Cryptography
package import Encodings
internal import HybridProtocol
internal import LinuxSupport

/// Contents of a file of links.
protocol LinkFileContents: Sendable {
    /// The contents of a new file.
    ///
    /// - Throws: ``LinkFileError`` `library-failure`.
    init() throws(LinkFileError)

    /// Reads a file's bytes.
    ///
    /// - Throws: ``LinkFileError`` `damaged`, `newer-version` or `library-failure`.
    init(decoding bytes: Span<UInt8>) throws(LinkFileError)

    /// The file's bytes.
    ///
    /// - Throws: ``LinkFileError`` `library-failure`.
    func encoded() throws(LinkFileError) -> SecretArray
}

/// A file of links, read whole and changed under a lock: the common part of both kinds.
struct LinkFileStorage<Contents: LinkFileContents>: Sendable, Hashable {
    let file: AtomicFile

    /// Longest wait for another process's change, which takes no longer than the disk.
    private static var lockTimeout: Duration { .seconds(10) }

    /// The contents of the file; nil if there is none.
    ///
    /// - Throws: ``LinkFileError``.
    func read() throws(LinkFileError) -> Contents? {
        let contents = try AtomicFileError.rethrown(
            SecretArray(file.read(limit: FileWithSecrets.maxByteCount)), as: LinkFileError.init)
        guard let bytes = contents else { return nil }
        return try LinkFileError.rethrown(Contents(decoding: bytes.span), as: { $0.naming(file.path) })
    }

    /// Changes the contents, which are on the disk when this returns. The file is made if it is missing.
    ///
    /// - Parameter change: changes the contents, and says whether there is anything to write.
    /// - Throws: ``LinkFileError``; then the file is as it was.
    func change(_ change: (inout Contents) throws(LinkFileError) -> Bool) throws(LinkFileError) {
        let lock = try AtomicFileError.rethrown(
            file.lock(timeout: Self.lockTimeout, makingDirectory: true), as: LinkFileError.init)
        var contents = if let contents = try read() { contents } else { try Contents() }
        guard try change(&contents) else { return }
        let bytes = try contents.encoded()
        try AtomicFileError.rethrown(file.replace(with: bytes.span, lock), as: LinkFileError.init)
    }
}

/// Failure to read or change a file of links.
///
/// After any of them the file is as it was.
package typealias LinkFileError = CodedError<LinkFileErrorCode>

/// Kind of error, as an open set of names.
package struct LinkFileErrorCode: ErrorCode {
    /// The name.
    package let rawValue: String

    /// Makes a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file is not a file of links, or not a whole one.
    package static let damaged = Self(rawValue: "damaged")
    /// The file was written by a newer version of this program.
    package static let newerVersion = Self(rawValue: "newer-version")
    /// The file's permissions let others than its owner at it.
    package static let exposed = Self(rawValue: "exposed")
    /// The file belongs to another user.
    package static let wrongOwner = Self(rawValue: "wrong-owner")
    /// The path names something other than a regular file.
    package static let notAFile = Self(rawValue: "not-a-file")
    /// Another process keeps the file locked.
    package static let inUse = Self(rawValue: "in-use")
    /// The disk is full, or this user's quota is used up.
    package static let noSpace = Self(rawValue: "no-space")
    /// The disk cannot be written to.
    package static let readOnly = Self(rawValue: "read-only")
    /// The system refused to read or write.
    package static let inputOutput = Self(rawValue: "input-output")
    /// The directory for the file is not known.
    package static let noDirectory = Self(rawValue: "no-directory")
    /// There is no room for another link.
    package static let full = Self(rawValue: "full")
    /// The file has no such link.
    package static let unknownLink = Self(rawValue: "unknown-link")
    /// The root secret is sealed under a vault, and that is not open.
    package static let sealed = Self(rawValue: "sealed")
    /// The root secret is sealed under another vault than the one that is open.
    package static let otherVault = Self(rawValue: "other-vault")
    /// libcrypto failed.
    package static let libraryFailure = Self(rawValue: "library-failure")
}

extension LinkFileError {
    /// A file's error, as an error of this module.
    init(_ error: AtomicFileError) {
        self.init(error.code == .tooLarge ? .damaged : Code(rawValue: error.code.rawValue), from: error)
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
