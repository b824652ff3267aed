internal import Cryptography

/// Why a handshake or a transport message was refused.
///
/// Two errors are equal if their codes are: ``reason`` is for people, and never holds a secret.
public struct NoiseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, for people: lower case, one line.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// What a failure of the cryptography means to a Noise session.
    init(_ error: CryptographyError) {
        let code: Code =
            switch error.code {
            case .authenticationFailed: .authenticationFailed
            case .invalidPoint: .invalidPoint
            case .wrongLength: .wrongLength
            default: .cryptographyFailed
            }
        self.init(code, reason: error.reason)
    }

    static let missingKey = Self(.outOfOrder, reason: "the pattern needs a key that is not there")

    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension NoiseError.Code {
    /// A tag does not fit: a changed message, another key, another pre-shared key.
    public static let authenticationFailed = Self(rawValue: "authentication-failed")
    /// An ephemeral public key that is no point on P-256.
    public static let invalidPoint = Self(rawValue: "invalid-point")
    /// A message too short for its pattern.
    public static let wrongLength = Self(rawValue: "wrong-length")
    /// A message at another place than the pattern has it, or a key that the pattern needs and nobody gave.
    public static let outOfOrder = Self(rawValue: "out-of-order")
    /// A direction has used up its counter, 2^24 - 1 being the last.
    public static let counterExhausted = Self(rawValue: "counter-exhausted")
    /// libcrypto failed.
    public static let cryptographyFailed = Self(rawValue: "cryptography-failed")
}
