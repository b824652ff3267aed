public import CTAP
internal import Encodings
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
        self.rpName = rpName?.truncated(toByteCount: Self.maxNameByteCount)
        self.userHandle = userHandle
        self.userName = userName?.truncated(toByteCount: Self.maxNameByteCount)
        self.userDisplayName = userDisplayName?.truncated(toByteCount: Self.maxNameByteCount)
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

/// The relying party's data for a credential, as its client compressed it: the extension largeBlob.
///
/// Source: WebAuthn Level 3 section 10.1.5. The data is not interpreted here.
public struct LargeBlob: Sendable, Hashable {
    /// The most compressed bytes that are kept: 4096, four times the minimum of CTAP 2.2 section 6.10.
    public static let maxByteCount = 1 << 12
    /// The largest size that contents may be said to have: 1 MiB. A client allocates that much when it reads.
    public static let maxOriginalByteCount: UInt64 = 1 << 20

    /// The contents, compressed (DEFLATE), at most ``maxByteCount`` bytes.
    public let compressed: [UInt8]
    /// The length of the contents in bytes, at most ``maxOriginalByteCount``.
    public let originalByteCount: UInt64

    /// Takes contents; nil if they are too large.
    public init?(compressed: [UInt8], originalByteCount: UInt64) {
        guard compressed.count <= Self.maxByteCount, originalByteCount <= Self.maxOriginalByteCount else { return nil }
        self.compressed = compressed
        self.originalByteCount = originalByteCount
    }
}

/// A passkey that was handed over to another vault, of which it is not known yet whether it has arrived.
///
/// It answers no request. It is a ``HandedOverCredential`` when the other vault is known to have it, and in use again
/// when that is known not to have it.
public struct CredentialInTransit: Sendable {
    /// The vault that it was handed over to.
    public struct Receiver: Sendable, Hashable {
        /// The vault's own number: 32 bytes, the hash of a key that it proves. Up to version 0.2.0 it had 16, and was
        /// proven by nothing.
        public let id: [UInt8]
        /// Its name, as it gave it: text of a peer's.
        public let name: String

        /// Names a receiver.
        public init(id: [UInt8], name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The passkey.
    public let credential: Credential
    /// The vault that it was handed over to.
    public let receiver: Receiver
    /// Time of the hand-over, in seconds since 1970.
    public let since: Int64

    /// Notes that a passkey is in transit.
    package init(_ credential: Credential, to receiver: Receiver, since: Int64) {
        self.credential = credential
        self.receiver = receiver
        self.since = since
    }
}

/// A passkey that another vault has said it has, which need not be true, and that is kept here for a while.
///
/// It answers no request, and is in no export.
public struct HandedOverCredential: Sendable {
    /// The time for which it is kept: 30 days, in seconds.
    public static let lifetime = ReplacedCredential.lifetime

    /// The passkey.
    public let credential: Credential
    /// The vault that has it.
    public let receiver: CredentialInTransit.Receiver
    /// Time at which that was said, in seconds since 1970; or that at which the clock was first seen to be before it.
    public let arrived: Int64

    /// Notes that a passkey has arrived.
    package init(_ credential: Credential, at receiver: CredentialInTransit.Receiver, arrived: Int64) {
        self.credential = credential
        self.receiver = receiver
        self.arrived = arrived
    }

    /// The time up to which it is kept, in seconds since 1970.
    public var keptUntil: Int64 { ReplacedCredential(credential, at: arrived).keptUntil }
}

/// A passkey that a newer one of its account has taken the place of (CTAP 2.2 section 6.1.2 step 17), and that is kept
/// for a while: the client that had the newer one made need not be one that the user can trust.
public struct ReplacedCredential: Sendable {
    /// The time for which it is kept: 30 days, in seconds.
    public static let lifetime: Int64 = 30 * 24 * 60 * 60

    /// The passkey.
    public let credential: Credential
    /// Time of its replacement, in seconds since 1970.
    public let replaced: Int64

    /// Notes that a passkey was replaced.
    ///
    /// - Parameters:
    ///   - credential: the older passkey.
    ///   - replaced: the time, in seconds since 1970.
    package init(_ credential: Credential, at replaced: Int64) {
        self.credential = credential
        self.replaced = replaced
    }

    /// The time up to which it is kept, in seconds since 1970.
    public var keptUntil: Int64 {
        let (sum, overflow) = replaced.addingReportingOverflow(Self.lifetime)
        return overflow ? .max : sum
    }
}
