internal import Cryptography
internal import Encodings

/// An error of reading or making data that a tunnel service and its peers exchange.
public typealias TunnelProtocolError = CodedError<TunnelProtocolErrorCode>

/// The kind of an error, as an open set of names.
public struct TunnelProtocolErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not canonical CBOR, more of it than a message may have, or not a map.
    public static let malformed = Self(rawValue: "malformed")
    /// A message of a type that this side does not take.
    public static let unknownType = Self(rawValue: "unknown-type")
    /// A required key is absent, or has a value of another type.
    public static let missingField = Self(rawValue: "missing-field")
    /// A value is too long, too short, or there are too many.
    public static let wrongLength = Self(rawValue: "wrong-length")
    /// Text that is not two hexadecimal digits a byte.
    public static let invalidHex = Self(rawValue: "invalid-hex")
    /// Text that is not base64url without padding, or not in its one form.
    public static let invalidBase64 = Self(rawValue: "invalid-base64")
    /// The proof is not by the key that it names, or is for another host, challenge, mode or other labels.
    public static let wrongProof = Self(rawValue: "wrong-proof")
    /// libcrypto failed on valid arguments.
    public static let cryptographyFailed = Self(rawValue: "cryptography-failed")
}

extension TunnelProtocolError {
    init(_ error: CryptographyError) { self.init(.cryptographyFailed, reason: error.description, place: error.place) }

    init(_ error: CBORError) { self.init(.malformed, reason: error.description, place: error.place) }

    static func wrongLength(_ what: StaticString) -> Self {
        Self(.wrongLength, reason: "\(what) has a length that it must not have")
    }

    static func wrongLength(_ what: StaticString, _ actual: Int, expected: Int) -> Self {
        Self(.wrongLength, reason: "\(what) has \(expected) bytes, not \(actual)")
    }

    static var invalidHex: Self { Self(.invalidHex, reason: "not an even number of hexadecimal digits") }
}
