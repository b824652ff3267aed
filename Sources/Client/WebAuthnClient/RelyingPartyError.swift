internal import CTAP
internal import Cryptography
@_exported public import Encodings

/// A failure to make a request, to verify the answer, or to keep the credential.
public typealias RelyingPartyError = CodedError<RelyingPartyErrorCode>

/// The kind of failure, as an open set of names.
public struct RelyingPartyErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

// Faults of the request, before anything is sent.
extension RelyingPartyErrorCode {
    /// The relying party's identifier is not a domain name.
    public static let invalidRelyingPartyID = Self(rawValue: "invalid-rp-id")
    /// The origin is malformed, or not one of the relying party.
    public static let invalidOrigin = Self(rawValue: "invalid-origin")
    /// There is no list of public suffixes on this machine, so that a domain above the origin's cannot be told from
    /// one.
    public static let noSuffixList = Self(rawValue: "no-suffix-list")
    /// The user handle has not 1…64 bytes.
    public static let invalidUserHandle = Self(rawValue: "invalid-user-handle")
    /// A credential ID in a list has not 1…1023 bytes.
    public static let invalidCredentialID = Self(rawValue: "invalid-credential-id")
    /// The challenge has fewer than 16 bytes, or far too many.
    public static let invalidChallenge = Self(rawValue: "invalid-challenge")
}

// Faults of a relying party's list of related origins. Source: WebAuthn Level 3 section 5.11.
extension RelyingPartyErrorCode {
    /// The list does not come: no connection, no trust, a status that is no success, too long, too late.
    public static let relatedOriginsUnavailable = Self(rawValue: "related-origins-unavailable")
    /// The list comes as something other than `application/json`.
    public static let relatedOriginsContentType = Self(rawValue: "related-origins-content-type")
    /// The list is not a JSON object with an array `origins` of texts.
    public static let relatedOriginsMalformed = Self(rawValue: "related-origins-malformed")
    /// The list has too many registrable labels, and the origin is not among those that count.
    public static let relatedOriginsOverLimit = Self(rawValue: "related-origins-over-limit")
    /// The list does not name the origin.
    public static let originNotListed = Self(rawValue: "origin-not-listed")
}

// Faults of the answer. Source: WebAuthn Level 3 sections 7.1 and 7.2, whose steps these are.
extension RelyingPartyErrorCode {
    /// A part of the answer cannot be read, is missing, too long or followed by something else.
    public static let malformedResponse = Self(rawValue: "malformed-response")
    /// The client data is of the other ceremony.
    public static let typeMismatch = Self(rawValue: "type-mismatch")
    /// The client data holds another challenge.
    public static let challengeMismatch = Self(rawValue: "challenge-mismatch")
    /// The client data is of another origin.
    public static let originMismatch = Self(rawValue: "origin-mismatch")
    /// The client data is of a page embedded in another origin's.
    public static let crossOrigin = Self(rawValue: "cross-origin")
    /// The answer is for another relying party.
    public static let relyingPartyIDMismatch = Self(rawValue: "rp-id-mismatch")
    /// The authenticator did not detect the user's presence.
    public static let userNotPresent = Self(rawValue: "user-not-present")
    /// The authenticator did not verify the user, which was required.
    public static let userNotVerified = Self(rawValue: "user-not-verified")
    /// The credential is said to be backed up though it cannot be, or its eligibility for that changed.
    public static let backupStateInconsistent = Self(rawValue: "backup-state-inconsistent")
    /// A registration came back without a new credential.
    public static let missingCredential = Self(rawValue: "missing-credential")
    /// The new credential's ID has fewer than 16 bytes.
    public static let badCredentialID = Self(rawValue: "bad-credential-id")
    /// The new credential is for an algorithm that was not asked for.
    public static let algorithmNotAsked = Self(rawValue: "algorithm-not-asked")
    /// The new public key does not fit its algorithm, or its algorithm is not verified here.
    public static let badPublicKey = Self(rawValue: "bad-public-key")
    /// The attestation statement is wrong: its form, its algorithm, its certificate or its signature.
    public static let badAttestation = Self(rawValue: "bad-attestation")
    /// An attestation was asked for, and one came that cannot be verified here.
    public static let unsupportedAttestation = Self(rawValue: "unsupported-attestation")
    /// The new credential is one that the authenticator had already: the exclude list or the file has it.
    public static let alreadyRegistered = Self(rawValue: "already-registered")
    /// The answer does not say which credential it is of, and more than one was possible.
    public static let credentialNotNamed = Self(rawValue: "credential-not-named")
    /// The answer is of a credential that the allow list does not have.
    public static let credentialNotAllowed = Self(rawValue: "credential-not-allowed")
    /// The answer is of a credential that this relying party does not know.
    public static let unknownCredential = Self(rawValue: "unknown-credential")
    /// The answer is of another user's account, or lacks the user handle where it must have one.
    public static let userHandleMismatch = Self(rawValue: "user-handle-mismatch")
    /// The answer says that the user chose, where an allow list was sent (HT-CTAP-26).
    public static let unexpectedUserSelected = Self(rawValue: "unexpected-user-selected")
    /// The signature is not of the credential's key over this answer.
    public static let badSignature = Self(rawValue: "bad-signature")
    /// The signature counter did not increase: there may be a copy of the credential.
    public static let counterWentBack = Self(rawValue: "counter-went-back")
}

// Failures of the file of credentials, or of the machine.
extension RelyingPartyErrorCode {
    /// The file is not a credential file, or incomplete. It is left as it is.
    public static let fileDamaged = Self(rawValue: "file-damaged")
    /// The file was written by a newer version of this program. It is left as it is.
    public static let fileNewerVersion = Self(rawValue: "file-newer-version")
    /// The file cannot be read or written.
    public static let fileInaccessible = Self(rawValue: "file-inaccessible")
    /// Another process keeps the file locked.
    public static let fileInUse = Self(rawValue: "file-in-use")
    /// The file's directory is not known: neither `XDG_STATE_HOME` nor `HOME` is set.
    public static let noStateDirectory = Self(rawValue: "no-state-directory")
    /// libcrypto refused an operation that cannot fail on valid arguments.
    public static let libraryFailure = Self(rawValue: "library-failure")
}

extension RelyingPartyError {
    /// A part of the answer that does not read.
    static func malformed(_ what: String, _ error: CTAPError) -> Self {
        Self(.malformedResponse, reason: "\(what): \(error.reason)", place: error.place)
    }

    /// libcrypto's failure.
    static func library(_ error: CryptographyError) -> Self { Self(.libraryFailure, from: error) }
}
