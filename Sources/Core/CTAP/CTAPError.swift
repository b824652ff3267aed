@_exported public import Encodings

/// A refusal of bytes as a CTAP message, or of values as the parts of one.
public typealias CTAPError = CodedError<CTAPErrorCode>

/// The kind of fault, as an open set of names.
public struct CTAPErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension CTAPError {
    /// The status that an authenticator answers to a request with this fault (CTAP 2.2 sections 6 and 8).
    public var status: CTAPStatus {
        switch code {
        case .invalidCommand: .invalidCommand
        case .invalidLength: .invalidLength
        case .invalidCBOR: .invalidCBOR
        case .tooLarge: .requestTooLarge
        case .unexpectedType: .unexpectedType
        case .missingParameter: .missingParameter
        case .invalidParameter: .invalidParameter
        default: .other
        }
    }
}

extension CTAPErrorCode {
    /// The command byte is not one of ``CTAPCommand``.
    public static let invalidCommand = Self(rawValue: "invalid-command")
    /// The message is empty or goes on too long, or a parameter has a length that it cannot have.
    public static let invalidLength = Self(rawValue: "invalid-length")
    /// The parameters are not CBOR, or in a request not canonical, or an extension that wants this code for it has an
    /// input of another form.
    public static let invalidCBOR = Self(rawValue: "invalid-cbor")
    /// The parameters of a request are longer than the decoder's limit, or have more items (HT-CTAP-51).
    public static let tooLarge = Self(rawValue: "too-large")
    /// A parameter has another type than it must have.
    public static let unexpectedType = Self(rawValue: "unexpected-type")
    /// A required parameter is missing.
    public static let missingParameter = Self(rawValue: "missing-parameter")
    /// A parameter has a value that it cannot have, or parameters contradict each other.
    public static let invalidParameter = Self(rawValue: "invalid-parameter")
}
