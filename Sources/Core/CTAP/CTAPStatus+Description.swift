// The specification's names of the status codes. Source: CTAP 2.2 section 8.2.

extension CTAPStatus: CustomStringConvertible {
    /// The name in the specification, such as `CTAP2_ERR_NO_CREDENTIALS`; for a code without a name, its hexadecimal
    /// digits with what range they lie in.
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
