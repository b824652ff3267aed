@_exported public import Errors

/// Failure of a radio to send or receive adverts.
public typealias RadioError = CodedError<RadioErrorCode>

/// The kind of failure, as an open set of names.
public struct RadioErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

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
