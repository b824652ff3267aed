internal import Encodings

/// An error of reading or making a digital-credential request or answer.
public typealias DigitalCredentialError = CodedError<DigitalCredentialErrorCode>

/// The kind of an error, as an open set of names.
public struct DigitalCredentialErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension DigitalCredentialError {
    init(_ error: JSONError) {
        self.init(
            error.code == .tooLong || error.code == .tooDeep ? .tooLarge : .invalidJSON, reason: error.reason)
    }
}

extension DigitalCredentialErrorCode {
    /// The text is not JSON, or ambiguous JSON.
    public static let invalidJSON = Self(rawValue: "invalid-json")
    /// The JSON is longer than 1 MiB, nested too deep, or asks for more than can be shown.
    public static let tooLarge = Self(rawValue: "too-large")
    /// A member is missing.
    public static let missingMember = Self(rawValue: "missing-member")
    /// A member is of another type than it must be, or empty.
    public static let wrongType = Self(rawValue: "wrong-type")
    /// The request is for something other than a credential's presentation or issuance.
    public static let unknownRequestType = Self(rawValue: "unknown-request-type")
    /// The origin is not an origin of a site: `https://` and a host, or `http://localhost`.
    public static let badOrigin = Self(rawValue: "bad-origin")
    /// A request was signed for other origins than the one that asks.
    public static let otherOrigin = Self(rawValue: "other-origin")
    /// A request could be read in two ways.
    public static let ambiguous = Self(rawValue: "ambiguous-request")
    /// A query for credentials cannot be read.
    public static let badQuery = Self(rawValue: "bad-query")
    /// A signed request cannot be taken apart.
    public static let badSignedRequest = Self(rawValue: "bad-signed-request")
    /// A request for documents by ISO/IEC 18013-5 cannot be read.
    public static let badDeviceRequest = Self(rawValue: "bad-device-request")
}
