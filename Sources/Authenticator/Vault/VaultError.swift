@_exported public import Cryptography
@_exported public import Encodings
internal import LinuxSupport
@_exported public import PasskeyAuthenticator

/// Failure to make, open or change a vault.
///
/// None of them leaves anything destroyed.
public typealias VaultError = CodedError<VaultErrorCode>

/// Kind of error, as an open set of names.
public struct VaultErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no vault at the path.
    public static let noVault = Self(rawValue: "no-vault")
    /// A file exists in the place of a new one.
    public static let exists = Self(rawValue: "exists")
    /// The passphrase is another.
    public static let wrongPassphrase = Self(rawValue: "wrong-passphrase")
    /// The desktop's keyring holds another key, or none, for this vault.
    public static let wrongKeyring = Self(rawValue: "wrong-keyring")
    /// None of the secrets at hand is one that opens this vault.
    public static let noSecret = Self(rawValue: "no-secret")
    /// The file is not a vault, or not a whole one.
    public static let damaged = Self(rawValue: "damaged")
    /// The file asks for more memory or time than any vault of ours does.
    public static let costly = Self(rawValue: "costly")
    /// The file was written by a newer version of this program.
    public static let newerVersion = Self(rawValue: "newer-version")
    /// There is no room in the vault for another passkey.
    public static let full = Self(rawValue: "full")
    /// The vault has no passkey with the ID that was named.
    public static let unknownCredential = Self(rawValue: "unknown-credential")
    /// The vault was opened for reading only, or its disk cannot be written to.
    public static let readOnly = Self(rawValue: "read-only")
    /// The vault has been closed.
    public static let closed = Self(rawValue: "closed")
    /// Another process has the vault open for changes.
    public static let inUse = Self(rawValue: "in-use")
    /// The file's permissions let others than its owner at it.
    public static let exposed = Self(rawValue: "exposed")
    /// The file belongs to another user.
    public static let wrongOwner = Self(rawValue: "wrong-owner")
    /// The path names something other than a regular file.
    public static let notAFile = Self(rawValue: "not-a-file")
    /// The disk, or this user's quota of it, is full.
    public static let noSpace = Self(rawValue: "no-space")
    /// The system refused to read or write.
    public static let inputOutput = Self(rawValue: "input-output")
    /// The directory for the vault is not known: neither `XDG_DATA_HOME` nor `HOME` is set.
    public static let noDirectory = Self(rawValue: "no-directory")
    /// libcrypto failed.
    public static let libraryFailure = Self(rawValue: "library-failure")
    /// There is no keyring to ask: no session bus, or nothing on it.
    public static let noKeyring = Self(rawValue: "no-keyring")
    /// The keyring is locked, and its question was dismissed.
    public static let keyringLocked = Self(rawValue: "keyring-locked")
    /// The keyring's question was not answered in time.
    public static let keyringTimeout = Self(rawValue: "keyring-timeout")
    /// The keyring refused, or does not keep to its interface.
    public static let keyringFailed = Self(rawValue: "keyring-failed")
}

// Conversions between the errors of other modules and the vault's. The codes are the same where the meaning is.

extension VaultError {
    init(_ error: AtomicFileError) {
        self.init(error.code == .tooLarge ? .damaged : Code(rawValue: error.code.rawValue), from: error)
    }

    init(_ error: CryptographyError) { self.init(.libraryFailure, from: error) }

    init(_ error: CredentialStoreError) { self.init(Code(rawValue: error.code.rawValue), from: error) }

    static func damaged(_ what: String) -> Self {
        Self(.damaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}

extension CredentialStoreError {
    init(_ error: VaultError) { self.init(Code(rawValue: error.code.rawValue), from: error) }
}
