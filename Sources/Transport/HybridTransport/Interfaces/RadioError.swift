/// Failure of a radio to send or receive adverts.
///
/// Two errors are equal if their codes are: ``reason`` is for people.
public struct RadioError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens, as it stands in `--json` output.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The reason, for people: lower case, one line.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// True if both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension RadioError.Code {
    /// The machine has no radio of this kind.
    public static let absent = Self(rawValue: "absent")
    /// The radio's address could not be understood.
    public static let invalidAddress = Self(rawValue: "invalid-address")
    /// The radio's address is taken by another process.
    public static let addressInUse = Self(rawValue: "address-in-use")
    /// The system refused the use of the radio.
    public static let notPermitted = Self(rawValue: "not-permitted")
    /// The advert is longer than the radio can send.
    public static let advertTooLong = Self(rawValue: "advert-too-long")
    /// The radio failed or went away while it was in use.
    public static let failed = Self(rawValue: "failed")
}
