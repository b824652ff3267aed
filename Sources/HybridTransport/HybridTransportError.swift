/// Why a ceremony failed: at which stage, for what cause, and what the person can do about it.
///
/// Two errors are equal if their codes and stages are: the rest is for people, and never holds a secret.
public struct HybridTransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens, as it stands in `--json` output.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What went wrong.
    public let code: Code
    /// The stage that was not reached.
    public let stage: Stage
    /// What went wrong, for people: lower case, one line. Begins with the name of the cause's own error code.
    public let cause: String
    /// One thing that the person can do about it.
    public let hint: String

    /// Makes an error.
    public init(_ code: Code, stage: Stage, cause: String, hint: String) {
        self.code = code
        self.stage = stage
        self.cause = cause
        self.hint = hint
    }

    /// Whether both errors have the same code and stage.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code && left.stage == right.stage }

    /// Code, stage, cause and hint on one line.
    public var description: String { "\(code.rawValue) before \(stage.rawValue): \(cause) (hint: \(hint))" }
}

extension HybridTransportError.Code {
    /// A time limit passed.
    public static let timeout = Self(rawValue: "timeout")
    /// The radio could not send or hear adverts.
    public static let radio = Self(rawValue: "radio")
    /// The tunnel service could not be reached.
    public static let tunnelUnreachable = Self(rawValue: "tunnel-unreachable")
    /// The tunnel service was reached and refused, or does not keep to the protocol.
    public static let tunnelRefused = Self(rawValue: "tunnel-refused")
    /// The other side, or somebody between, broke the protocol.
    public static let protocolViolation = Self(rawValue: "protocol-violation")
    /// The other side ended the session before it was complete.
    public static let peerClosed = Self(rawValue: "peer-closed")
    /// The QR code offers no channel that we have.
    public static let noCommonChannel = Self(rawValue: "no-common-channel")
    /// The session carries no CTAP.
    public static let noCTAP = Self(rawValue: "no-ctap")
    /// The session carries no digital credentials.
    public static let noDigitalCredentials = Self(rawValue: "no-digital-credentials")
    /// Our own caller asked for something that the session cannot carry: a message of wrong length, or out of turn.
    public static let invalidRequest = Self(rawValue: "invalid-request")
    /// Our own caller cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// libcrypto, or something else of this machine, failed.
    public static let internalFailure = Self(rawValue: "internal-failure")
}
