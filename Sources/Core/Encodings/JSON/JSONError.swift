/// An error of reading JSON.
public typealias JSONError = CodedError<JSONErrorCode>

/// The kind of an error, as an open set of names.
public struct JSONErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not JSON (RFC 8259 section 2; HT-DC-11).
    public static let malformed = Self(rawValue: "malformed")
    /// There are more bytes than ``JSONLimits/byteCount``.
    public static let tooLong = Self(rawValue: "too-long")
    /// There are more values than ``JSONLimits/valueCount``.
    public static let tooMany = Self(rawValue: "too-many")
    /// Arrays and objects are inside each other deeper than ``JSONLimits/depth``.
    public static let tooDeep = Self(rawValue: "too-deep")
    /// A string is not UTF-8, or has half of a surrogate pair (HT-DC-12).
    public static let invalidText = Self(rawValue: "invalid-text")
    /// An object has two members of one name, which readers understand in different ways (RFC 8259 section 4;
    /// HT-DC-15).
    public static let duplicateName = Self(rawValue: "duplicate-name")
}
