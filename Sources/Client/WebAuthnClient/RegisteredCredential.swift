public import CTAP
internal import Cryptography

/// A relying party's record of a passkey. Source: WebAuthn Level 3 section 4, "credential record".
public struct RegisteredCredential: Sendable, Hashable {
    /// The credential ID, 16…1023 bytes.
    public let id: [UInt8]
    /// The public key.
    public let publicKey: PublicKey
    /// The account.
    public let user: PublicKeyCredentialUserEntity
    /// Number of signatures at the last ceremony, or 0 if the authenticator does not count.
    public var signCount: UInt32
    /// The make of the authenticator, 16 bytes; zeros if it did not say.
    public let aaguid: [UInt8]
    /// True if the passkey may be backed up; it never changes.
    public let isBackupEligible: Bool
    /// True if it is backed up now.
    public var isBackedUp: Bool
    /// The authenticator's transports, such as `hybrid` and `internal`, each once and sorted.
    public let transports: [String]

    /// Makes a record of a credential that was verified elsewhere.
    public init(
        id: [UInt8], publicKey: PublicKey, user: PublicKeyCredentialUserEntity, signCount: UInt32, aaguid: [UInt8],
        isBackupEligible: Bool, isBackedUp: Bool, transports: [String]
    ) {
        self.id = id
        self.publicKey = publicKey
        self.user = user
        self.signCount = signCount
        self.aaguid = aaguid
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.transports = transports
    }
}
