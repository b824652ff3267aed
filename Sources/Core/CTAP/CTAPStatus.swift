/// The first byte of every CTAP response. Source: CTAP 2.2 section 8.2.
///
/// The set is open: a byte without a name here is a status too, and is an error.
public struct CTAPStatus: RawRepresentable, Hashable, Sendable {
    /// The byte as it stands on the wire.
    public let rawValue: UInt8

    /// Makes a status from its byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// True if the command succeeded.
    public var isSuccess: Bool { self == .ok }
}

extension CTAPStatus {
    /// `CTAP2_OK`: the command succeeded.
    public static let ok = Self(rawValue: 0x00)
    /// `CTAP1_ERR_INVALID_COMMAND`: the command is not known.
    public static let invalidCommand = Self(rawValue: 0x01)
    /// `CTAP1_ERR_INVALID_PARAMETER`: a parameter has a value that is not allowed.
    public static let invalidParameter = Self(rawValue: 0x02)
    /// `CTAP1_ERR_INVALID_LENGTH`: a message or item has a wrong length.
    public static let invalidLength = Self(rawValue: 0x03)
    /// `CTAP1_ERR_INVALID_SEQ`: a message has a wrong sequence number.
    public static let invalidSequence = Self(rawValue: 0x04)
    /// `CTAP1_ERR_TIMEOUT`: a message timed out.
    public static let timeout = Self(rawValue: 0x05)
    /// `CTAP1_ERR_CHANNEL_BUSY`: the channel is busy.
    public static let channelBusy = Self(rawValue: 0x06)
    /// `CTAP1_ERR_LOCK_REQUIRED`: the command needs a channel lock.
    public static let lockRequired = Self(rawValue: 0x0a)
    /// `CTAP1_ERR_INVALID_CHANNEL`: the command is not allowed on this channel.
    public static let invalidChannel = Self(rawValue: 0x0b)
    /// `CTAP2_ERR_CBOR_UNEXPECTED_TYPE`: a parameter has another CBOR type than expected.
    public static let unexpectedType = Self(rawValue: 0x11)
    /// `CTAP2_ERR_INVALID_CBOR`: the parameters are not canonical CBOR.
    public static let invalidCBOR = Self(rawValue: 0x12)
    /// `CTAP2_ERR_MISSING_PARAMETER`: a required parameter is missing.
    public static let missingParameter = Self(rawValue: 0x14)
    /// `CTAP2_ERR_LIMIT_EXCEEDED`: a limit of the authenticator is exceeded.
    public static let limitExceeded = Self(rawValue: 0x15)
    /// `CTAP2_ERR_FP_DATABASE_FULL`: no other fingerprint can be stored.
    public static let fingerprintDatabaseFull = Self(rawValue: 0x17)
    /// `CTAP2_ERR_LARGE_BLOB_STORAGE_FULL`: no other large blob can be stored.
    public static let largeBlobStorageFull = Self(rawValue: 0x18)
    /// `CTAP2_ERR_CREDENTIAL_EXCLUDED`: a credential of the exclude list is on this authenticator.
    public static let credentialExcluded = Self(rawValue: 0x19)
    /// `CTAP2_ERR_PROCESSING`: the authenticator is still at work.
    public static let processing = Self(rawValue: 0x21)
    /// `CTAP2_ERR_INVALID_CREDENTIAL`: the credential is not one of this authenticator's.
    public static let invalidCredential = Self(rawValue: 0x22)
    /// `CTAP2_ERR_USER_ACTION_PENDING`: the authenticator waits for the user.
    public static let userActionPending = Self(rawValue: 0x23)
    /// `CTAP2_ERR_OPERATION_PENDING`: another operation is under way.
    public static let operationPending = Self(rawValue: 0x24)
    /// `CTAP2_ERR_NO_OPERATIONS`: no operation is under way.
    public static let noOperations = Self(rawValue: 0x25)
    /// `CTAP2_ERR_UNSUPPORTED_ALGORITHM`: none of the algorithms is supported.
    public static let unsupportedAlgorithm = Self(rawValue: 0x26)
    /// `CTAP2_ERR_OPERATION_DENIED`: the user declined.
    public static let operationDenied = Self(rawValue: 0x27)
    /// `CTAP2_ERR_KEY_STORE_FULL`: no other credential can be stored.
    public static let keyStoreFull = Self(rawValue: 0x28)
    /// `CTAP2_ERR_UNSUPPORTED_OPTION`: an option is not supported.
    public static let unsupportedOption = Self(rawValue: 0x2b)
    /// `CTAP2_ERR_INVALID_OPTION`: an option is not valid for this command.
    public static let invalidOption = Self(rawValue: 0x2c)
    /// `CTAP2_ERR_KEEPALIVE_CANCEL`: the client cancelled.
    public static let keepaliveCancel = Self(rawValue: 0x2d)
    /// `CTAP2_ERR_NO_CREDENTIALS`: there is no credential for this relying party.
    public static let noCredentials = Self(rawValue: 0x2e)
    /// `CTAP2_ERR_USER_ACTION_TIMEOUT`: the user did not act in time.
    public static let userActionTimeout = Self(rawValue: 0x2f)
    /// `CTAP2_ERR_NOT_ALLOWED`: the command is not allowed now.
    public static let notAllowed = Self(rawValue: 0x30)
    /// `CTAP2_ERR_PIN_INVALID`: the PIN is wrong.
    public static let pinInvalid = Self(rawValue: 0x31)
    /// `CTAP2_ERR_PIN_BLOCKED`: the PIN is blocked.
    public static let pinBlocked = Self(rawValue: 0x32)
    /// `CTAP2_ERR_PIN_AUTH_INVALID`: the pinUvAuthParam does not verify.
    public static let pinAuthInvalid = Self(rawValue: 0x33)
    /// `CTAP2_ERR_PIN_AUTH_BLOCKED`: PIN entry is blocked until the next power cycle.
    public static let pinAuthBlocked = Self(rawValue: 0x34)
    /// `CTAP2_ERR_PIN_NOT_SET`: no PIN has been set.
    public static let pinNotSet = Self(rawValue: 0x35)
    /// `CTAP2_ERR_PUAT_REQUIRED`: a pinUvAuthToken is required.
    public static let pinUvAuthTokenRequired = Self(rawValue: 0x36)
    /// `CTAP2_ERR_PIN_POLICY_VIOLATION`: the PIN breaks the PIN policy.
    public static let pinPolicyViolation = Self(rawValue: 0x37)
    /// `CTAP2_ERR_PIN_TOKEN_EXPIRED`: the pinUvAuthToken has expired.
    public static let pinTokenExpired = Self(rawValue: 0x38)
    /// `CTAP2_ERR_REQUEST_TOO_LARGE`: the request is larger than the authenticator takes.
    public static let requestTooLarge = Self(rawValue: 0x39)
    /// `CTAP2_ERR_ACTION_TIMEOUT`: the current operation timed out.
    public static let actionTimeout = Self(rawValue: 0x3a)
    /// `CTAP2_ERR_UP_REQUIRED`: the operation needs user presence.
    public static let userPresenceRequired = Self(rawValue: 0x3b)
    /// `CTAP2_ERR_UV_BLOCKED`: built-in user verification is blocked.
    public static let userVerificationBlocked = Self(rawValue: 0x3c)
    /// `CTAP2_ERR_INTEGRITY_FAILURE`: a checksum does not match.
    public static let integrityFailure = Self(rawValue: 0x3d)
    /// `CTAP2_ERR_INVALID_SUBCOMMAND`: the subcommand is not known.
    public static let invalidSubcommand = Self(rawValue: 0x3e)
    /// `CTAP2_ERR_UV_INVALID`: built-in user verification failed.
    public static let userVerificationInvalid = Self(rawValue: 0x3f)
    /// `CTAP2_ERR_UNAUTHORIZED_PERMISSION`: the pinUvAuthToken lacks the permission.
    public static let unauthorizedPermission = Self(rawValue: 0x40)
    /// `CTAP1_ERR_OTHER`: another error.
    public static let other = Self(rawValue: 0x7f)
}

// The specification's names of the status codes. Source: CTAP 2.2 section 8.2.

extension CTAPStatus: CustomStringConvertible {
    /// The name in the specification, such as `CTAP2_ERR_NO_CREDENTIALS`; for a code without a name, its hexadecimal
    /// digits with the range in which they lie.
    public var description: String {
        if let name = Self.names[self] { return name }
        let code = (rawValue < 0x10 ? "0x0" : "0x") + String(rawValue, radix: 16, uppercase: true)
        switch rawValue {
        case Self.extensionRange: return "CTAP2_ERR_EXTENSION(\(code))"
        case Self.vendorRange: return "CTAP2_ERR_VENDOR(\(code))"
        default: return "unknown status \(code)"
        }
    }

    /// `CTAP2_ERR_EXTENSION_FIRST`…`CTAP2_ERR_EXTENSION_LAST`.
    private static let extensionRange: ClosedRange<UInt8> = 0xe0...0xef
    /// `CTAP2_ERR_VENDOR_FIRST`…`CTAP2_ERR_VENDOR_LAST`.
    private static let vendorRange: ClosedRange<UInt8> = 0xf0...0xff

    private static let names: [CTAPStatus: String] = [
        .ok: "CTAP2_OK",
        .invalidCommand: "CTAP1_ERR_INVALID_COMMAND",
        .invalidParameter: "CTAP1_ERR_INVALID_PARAMETER",
        .invalidLength: "CTAP1_ERR_INVALID_LENGTH",
        .invalidSequence: "CTAP1_ERR_INVALID_SEQ",
        .timeout: "CTAP1_ERR_TIMEOUT",
        .channelBusy: "CTAP1_ERR_CHANNEL_BUSY",
        .lockRequired: "CTAP1_ERR_LOCK_REQUIRED",
        .invalidChannel: "CTAP1_ERR_INVALID_CHANNEL",
        .unexpectedType: "CTAP2_ERR_CBOR_UNEXPECTED_TYPE",
        .invalidCBOR: "CTAP2_ERR_INVALID_CBOR",
        .missingParameter: "CTAP2_ERR_MISSING_PARAMETER",
        .limitExceeded: "CTAP2_ERR_LIMIT_EXCEEDED",
        .fingerprintDatabaseFull: "CTAP2_ERR_FP_DATABASE_FULL",
        .largeBlobStorageFull: "CTAP2_ERR_LARGE_BLOB_STORAGE_FULL",
        .credentialExcluded: "CTAP2_ERR_CREDENTIAL_EXCLUDED",
        .processing: "CTAP2_ERR_PROCESSING",
        .invalidCredential: "CTAP2_ERR_INVALID_CREDENTIAL",
        .userActionPending: "CTAP2_ERR_USER_ACTION_PENDING",
        .operationPending: "CTAP2_ERR_OPERATION_PENDING",
        .noOperations: "CTAP2_ERR_NO_OPERATIONS",
        .unsupportedAlgorithm: "CTAP2_ERR_UNSUPPORTED_ALGORITHM",
        .operationDenied: "CTAP2_ERR_OPERATION_DENIED",
        .keyStoreFull: "CTAP2_ERR_KEY_STORE_FULL",
        .unsupportedOption: "CTAP2_ERR_UNSUPPORTED_OPTION",
        .invalidOption: "CTAP2_ERR_INVALID_OPTION",
        .keepaliveCancel: "CTAP2_ERR_KEEPALIVE_CANCEL",
        .noCredentials: "CTAP2_ERR_NO_CREDENTIALS",
        .userActionTimeout: "CTAP2_ERR_USER_ACTION_TIMEOUT",
        .notAllowed: "CTAP2_ERR_NOT_ALLOWED",
        .pinInvalid: "CTAP2_ERR_PIN_INVALID",
        .pinBlocked: "CTAP2_ERR_PIN_BLOCKED",
        .pinAuthInvalid: "CTAP2_ERR_PIN_AUTH_INVALID",
        .pinAuthBlocked: "CTAP2_ERR_PIN_AUTH_BLOCKED",
        .pinNotSet: "CTAP2_ERR_PIN_NOT_SET",
        .pinUvAuthTokenRequired: "CTAP2_ERR_PUAT_REQUIRED",
        .pinPolicyViolation: "CTAP2_ERR_PIN_POLICY_VIOLATION",
        .pinTokenExpired: "CTAP2_ERR_PIN_TOKEN_EXPIRED",
        .requestTooLarge: "CTAP2_ERR_REQUEST_TOO_LARGE",
        .actionTimeout: "CTAP2_ERR_ACTION_TIMEOUT",
        .userPresenceRequired: "CTAP2_ERR_UP_REQUIRED",
        .userVerificationBlocked: "CTAP2_ERR_UV_BLOCKED",
        .integrityFailure: "CTAP2_ERR_INTEGRITY_FAILURE",
        .invalidSubcommand: "CTAP2_ERR_INVALID_SUBCOMMAND",
        .userVerificationInvalid: "CTAP2_ERR_UV_INVALID",
        .unauthorizedPermission: "CTAP2_ERR_UNAUTHORIZED_PERMISSION",
        .other: "CTAP1_ERR_OTHER",
    ]
}
