internal import COpenSSL
@_exported public import Encodings

/// Refusal of a cryptographic operation.
public typealias CryptographyError = CodedError<CryptographyErrorCode>

/// Kind of failure, as an open set of names.
public struct CryptographyErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A tag does not fit its key, nonce, additional data and ciphertext.
    public static let authenticationFailed = Self(rawValue: "authentication-failed")
    /// Bytes that are not the X9.62 form of a point on P-256, or are the point at infinity.
    public static let invalidPoint = Self(rawValue: "invalid-point")
    /// A private scalar that is zero or not below the order of P-256.
    public static let invalidScalar = Self(rawValue: "invalid-scalar")
    /// Bytes that are not a key of the algorithm's, or one of a size that is not taken.
    public static let invalidKey = Self(rawValue: "invalid-key")
    /// An argument of a length that the operation does not take.
    public static let wrongLength = Self(rawValue: "wrong-length")
    /// An algorithm that there is no key for.
    public static let unsupportedAlgorithm = Self(rawValue: "unsupported-algorithm")
    /// An algorithm that the OpenSSL of this machine does not offer: by its configuration, or by its build.
    public static let forbiddenAlgorithm = Self(rawValue: "forbidden-algorithm")
    /// libcrypto refused an operation that cannot fail on valid arguments: no memory, or a broken installation.
    public static let libraryFailure = Self(rawValue: "library-failure")
}

extension CryptographyError {
    /// Names the libcrypto call that failed, and empties the thread's OpenSSL error queue so that nothing of it is
    /// mistaken for a later failure.
    static func library(_ call: StaticString) -> Self {
        ERR_clear_error()
        return Self(.libraryFailure, reason: "libcrypto's \(call) failed")
    }

    static func wrongLength(_ what: StaticString, expected: Int, got: Int) -> Self {
        Self(.wrongLength, reason: "\(what) must have \(expected) bytes, not \(got)")
    }
}
