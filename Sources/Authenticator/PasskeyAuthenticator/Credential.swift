public import CTAP
internal import UserVerification

/// A passkey with the account that it is for. Source: WebAuthn Level 3 section 4, "public key credential source".
public struct Credential: Sendable {
    /// The length of the credential IDs that this authenticator makes: 32 bytes, random.
    public static let idByteCount = 32
    /// The longest relying party identifier: 253 bytes, the longest domain name.
    public static let maxRPIDByteCount = 253
    /// The longest name that is kept: 256 bytes. CTAP 2.2 section 6.1 lets an authenticator cut names at 64 or more.
    public static let maxNameByteCount = ApprovalQuestion.maxNameByteCount

    /// The credential ID.
    public let id: [UInt8]
    /// The relying party's identifier, a domain.
    public let rpID: String
    /// The relying party's name.
    public let rpName: String?
    /// The user handle, 1…64 bytes.
    public let userHandle: [UInt8]
    /// The account's name.
    public let userName: String?
    /// The user's name for display.
    public let userDisplayName: String?
    /// True if the credential is found without an allow list.
    public let isDiscoverable: Bool
    /// The private key.
    public let key: CredentialKey
    /// Requirements for the use of the credential.
    public let protection: CredentialProtection
    /// The secret of the extension prf; nil for a credential that was made before there was one.
    public let prf: PRFSecret?
    /// True if the credential may be copied elsewhere, which never changes: flag BE.
    public let isBackupEligible: Bool
    /// True if there is a copy elsewhere, as noted when one is made or imported: flag BS.
    public var isBackedUp: Bool
    /// Time of creation, in seconds since 1970; nil if that is not known.
    public let created: Int64?
    /// Time of the last sign-in with the credential, in seconds since 1970; nil if there was none.
    public var lastUsed: Int64?
    /// The relying party's data for the credential.
    public var largeBlob: LargeBlob?

    /// Makes a credential. Names are cut to ``maxNameByteCount``.
    public init(
        id: [UInt8], rpID: String, rpName: String?, userHandle: [UInt8], userName: String?, userDisplayName: String?,
        isDiscoverable: Bool, key: CredentialKey, protection: CredentialProtection = .verificationOptional,
        prf: PRFSecret? = nil, isBackupEligible: Bool = false, isBackedUp: Bool = false, created: Int64? = nil,
        lastUsed: Int64? = nil, largeBlob: LargeBlob? = nil
    ) {
        self.id = id
        self.rpID = rpID
        self.rpName = rpName.map(ApprovalQuestion.cut)
        self.userHandle = userHandle
        self.userName = userName.map(ApprovalQuestion.cut)
        self.userDisplayName = userDisplayName.map(ApprovalQuestion.cut)
        self.isDiscoverable = isDiscoverable
        self.key = key
        self.protection = protection
        self.prf = prf
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp && isBackupEligible
        self.created = created
        self.lastUsed = lastUsed
        self.largeBlob = largeBlob
    }

    /// True if the credential is the relying party's. Identifiers are compared byte by byte.
    func belongs(to rpID: String) -> Bool { self.rpID.utf8.elementsEqual(rpID.utf8) }
}
