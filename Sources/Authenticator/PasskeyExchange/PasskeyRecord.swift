internal import Cryptography
package import PasskeyAuthenticator

/// A passkey of a file, or one for a new file, and its outcome.
package struct PasskeyRecord: Sendable {
    /// Outcome for one passkey.
    package enum Outcome: Sendable {
        /// It is a passkey.
        case passkey(Credential)
        /// It is left out.
        case leftOut(PasskeyObstacle)
    }

    /// The relying party's identifier as it is written there, cut to 256 bytes; nil if there is none.
    package let rpID: String?
    /// The account's name, cut likewise; nil if there is none.
    package let userName: String?
    /// The outcome.
    package let outcome: Outcome
    /// The parts that the passkey lost.
    package let losses: [PasskeyLoss]

    /// Makes a record.
    package init(rpID: String?, userName: String?, outcome: Outcome, losses: [PasskeyLoss]) {
        self.rpID = rpID
        self.userName = userName
        self.outcome = outcome
        self.losses = losses
    }

    /// The passkey; nil if it is left out.
    package var passkey: Credential? {
        guard case .passkey(let credential) = outcome else { return nil }
        return credential
    }
}

/// The reason for which a passkey is left out.
package enum PasskeyObstacle: String, Error, Sendable, CaseIterable {
    /// It is not described as the format has it.
    case malformed
    /// The relying party's identifier is missing, or no domain name.
    case invalidRPID = "invalid-rp-id"
    /// The credential ID is missing, or not of 1 to 1,023 bytes.
    case invalidCredentialID = "invalid-credential-id"
    /// There is no user handle: it belongs to a second factor, and not to a passkey.
    case missingUserHandle = "missing-user-handle"
    /// The user handle is not of 1 to 64 bytes.
    case invalidUserHandle = "invalid-user-handle"
    /// The private key is of an algorithm that there is not here.
    case unsupportedAlgorithm = "unsupported-algorithm"
    /// The private key is none.
    case damagedKey = "damaged-key"
    /// The signature counter is not zero: relying parties would take two such passkeys for a theft (CXF 1.0 section
    /// 3.3.12).
    case counterNotZero = "counter-not-zero"
    /// Relying parties were told that the passkey is never copied.
    case notBackupEligible = "not-backup-eligible"
    /// The format holds one passkey, and another one is in it.
    case onePasskeyOnly = "one-passkey-only"
    /// The vault has the passkey already, or the file has it twice.
    case duplicate
    /// The vault has another passkey of the account.
    case otherOfAccount = "other-of-account"
    /// The vault has no room.
    case vaultFull = "vault-full"
}

/// Something that a passkey has, and that does not survive a format.
package enum PasskeyLoss: String, Sendable, CaseIterable {
    /// The secrets of the extensions prf and hmac-secret.
    case prf
    /// The second of these secrets, for uses without a verification.
    case prfWithoutVerification = "prf-without-verification"
    /// The contents of the extension largeBlob.
    case largeBlob = "large-blob"
    /// The contents of the extension credBlob.
    case credBlob = "cred-blob"
    /// The permission for payments (Secure Payment Confirmation).
    case payments
    /// The protection that the relying party demands with the extension credProtect.
    case protection
    /// The passkey was found with an allow list alone, and is found without one then.
    case nonDiscoverable = "non-discoverable"
    /// The site's name, or the user's for display, or the end of a name.
    case names
}

/// The numbers of items in a file.
package struct PasskeyFileCounts: Sendable, Hashable {
    /// The items: logins, notes, cards and so on.
    package var items = 0
    /// Those that hold no passkey.
    package var withoutPasskey = 0

    /// The most items that are read: 100,000.
    package static let maxItems = 100_000
}

/// A file's bytes, and the outcome for each passkey meant for it, in the order in which they were given.
package struct PasskeyExport: ~Copyable, Sendable {
    private let file: SecretArray
    /// The outcome of each passkey.
    package let records: [PasskeyRecord]

    init(bytes: consuming [UInt8], records: [PasskeyRecord]) {
        file = SecretArray(bytes)
        self.records = records
    }

    /// The file, which may have private keys in clear text.
    package var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { file.span }
    }

    /// The passkeys that are in it.
    package var written: [Credential] { records.compactMap(\.passkey) }
}
