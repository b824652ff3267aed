@_exported public import CTAP
@_exported public import Cryptography
@_exported public import Encodings
@_exported public import UserVerification

/// A store of passkeys.
///
/// Each change is kept for good before its function returns; where it throws, the store is as it was before.
public protocol CredentialStore: Sendable {
    /// True if the passkeys are kept for good and in secret. A verification by a `LabVerifier` does not count for them.
    var protectsCredentials: Bool { get }

    /// All credentials in the order in which they were made.
    ///
    /// - Throws: ``CredentialStoreError``.
    func credentials() async throws(CredentialStoreError) -> [Credential]

    /// The credentials of a relying party, discoverable or not, the newest first.
    ///
    /// - Throws: ``CredentialStoreError``.
    func credentials(rpID: String) async throws(CredentialStoreError) -> [Credential]

    /// Keeps a new credential.
    ///
    /// A discoverable credential takes the place of the one with the same relying party and user handle (CTAP 2.2
    /// section 6.1.2 step 17).
    ///
    /// - Throws: ``CredentialStoreError``; `full` if there is no room.
    func add(_ credential: Credential) async throws(CredentialStoreError)

    /// Keeps a credential as it is now in the place of the one with the same ID.
    ///
    /// - Throws: ``CredentialStoreError``; `unknown-credential` if there is none with that ID.
    func update(_ credential: Credential) async throws(CredentialStoreError)

    /// Removes a credential.
    ///
    /// - Parameter id: the credential ID.
    /// - Throws: ``CredentialStoreError``; `unknown-credential` if there is none with that ID.
    func remove(id: [UInt8]) async throws(CredentialStoreError)
}

extension CredentialStore {
    /// False unless the store says otherwise.
    public var protectsCredentials: Bool { false }
}

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

/// Passkeys that last as long as the process.
public actor InMemoryCredentialStore: CredentialStore {
    private var list = CredentialList()

    /// Makes an empty store.
    public init() {}

    /// All credentials, the oldest first.
    public func credentials() -> [Credential] { list.credentials }

    /// The credentials of a relying party, the newest first.
    public func credentials(rpID: String) -> [Credential] { list.credentials(rpID: rpID) }

    /// Keeps a new credential.
    ///
    /// - Throws: ``CredentialStoreError`` `full`.
    public func add(_ credential: Credential) throws(CredentialStoreError) { list = try list.adding(credential) }

    /// Keeps a credential as it is now.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    public func update(_ credential: Credential) throws(CredentialStoreError) { list = try list.updating(credential) }

    /// Removes a credential.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    public func remove(id: [UInt8]) throws(CredentialStoreError) { list = try list.removing(id: id) }
}

extension PasskeyAuthenticator {
    /// Makes an authenticator that approves everything at once, and chooses no account: for labs, and for tests of
    /// other implementations.
    ///
    /// - Parameters:
    ///   - store: keeps the passkeys.
    ///   - claimsVerification: true if it says that it has verified a user.
    package static func approvingAll(
        store: any CredentialStore = InMemoryCredentialStore(), claimsVerification: Bool = true
    ) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: AutomaticApproval(claimsVerification: claimsVerification))
    }
}
