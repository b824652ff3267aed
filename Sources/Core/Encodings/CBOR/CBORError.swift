/// Refusal of bytes as CBOR.
public typealias CBORError = CodedError<CBORErrorCode>

/// Kind of failure, as an open set of names.
public struct CBORErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The input ends inside an item (HT-CBOR-15).
    public static let truncated = Self(rawValue: "truncated")
    /// Bytes follow the item (HT-CBOR-16).
    public static let trailingBytes = Self(rawValue: "trailing-bytes")
    /// The bytes are not CBOR at all (RFC 8949 appendix C, "not well-formed"; HT-CBOR-14).
    public static let malformed = Self(rawValue: "malformed")
    /// A length or integer is not in its shortest form, or a length is indefinite (HT-CBOR-9, HT-CBOR-10; strict mode
    /// only).
    public static let notCanonical = Self(rawValue: "not-canonical")
    /// The keys of a map are not in CTAP2's order (HT-CBOR-11; strict mode only).
    public static let unsortedKeys = Self(rawValue: "unsorted-keys")
    /// A map has the same key twice (HT-CBOR-12; strict mode only).
    public static let duplicateKey = Self(rawValue: "duplicate-key")
    /// Arrays and maps are nested deeper than ``CBORLimits/maxDepth`` (HT-CBOR-19).
    public static let tooDeep = Self(rawValue: "too-deep")
    /// The input is longer than ``CBORLimits/maxBytes`` (HT-CBOR-20).
    public static let tooLarge = Self(rawValue: "too-large")
    /// There are more items than ``CBORLimits/maxItems`` (HT-CBOR-20).
    public static let tooManyItems = Self(rawValue: "too-many-items")
    /// A text string is not UTF-8 (HT-CBOR-17; strict mode only).
    public static let invalidText = Self(rawValue: "invalid-text")
    /// A kind of item, or of map key, that CTAP2 does not use: tags, floats, undefined, other simple values
    /// (HT-CBOR-13, HT-CBOR-23; strict mode only).
    public static let unsupported = Self(rawValue: "unsupported")
}
