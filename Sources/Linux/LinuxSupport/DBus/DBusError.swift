internal import CLinux

/// A failure of the message bus, of a peer on it, or of a message.
///
/// Two errors are equal if their codes and, for an error that a peer answered with, its names are. It is no
/// `CodedError`, since a peer's error has a name and values of its own.
package struct DBusError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The address of the bus could not be understood, or is of a kind that is not used.
        case invalidAddress = "invalid-address"
        /// There is no bus at its address, or this machine lacks the library that speaks with one.
        case noBus = "no-bus"
        /// The bus, or the system, refused us.
        case notPermitted = "not-permitted"
        /// The connection to the bus ended.
        case disconnected
        /// A time limit passed.
        case timeout
        /// The task was cancelled.
        case cancelled
        /// The peer answered with an error; ``name`` is its name.
        case refused
        /// A message holds other types than expected.
        case wrongType = "wrong-type"
        /// A message exceeds ``DBusValue/Bounds``.
        case tooLarge = "too-large"
        /// The library or the system failed.
        case failed
    }

    package let code: Code
    /// For users: lower case, one line.
    package let reason: String
    /// The peer's name for its error, such as `org.bluez.Error.NotReady`.
    package let name: String?
    /// All values of the peer's error, of which the first is its text, as they came.
    package let details: [DBusValue]

    package init(_ code: Code, reason: String, name: String? = nil, details: [DBusValue] = []) {
        self.code = code
        self.reason = reason
        self.name = name
        self.details = details
    }

    static let cancelled = Self(.cancelled, reason: "cancelled")

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code && left.name == right.name }

    package var description: String { "\(code.rawValue): \(reason)" }
}

extension DBusError {
    /// Names that the bus and well-behaved peers give their errors; see ``DBusError/name``.
    ///
    /// Source: D-Bus Specification 0.43; sd-bus-errors(3).
    package enum Name {
        package static let accessDenied = SD_BUS_ERROR_ACCESS_DENIED
        package static let authFailed = SD_BUS_ERROR_AUTH_FAILED
        package static let disconnected = SD_BUS_ERROR_DISCONNECTED
        package static let invalidArguments = SD_BUS_ERROR_INVALID_ARGS
        package static let limitsExceeded = SD_BUS_ERROR_LIMITS_EXCEEDED
        package static let nameHasNoOwner = SD_BUS_ERROR_NAME_HAS_NO_OWNER
        package static let noReply = SD_BUS_ERROR_NO_REPLY
        package static let serviceUnknown = SD_BUS_ERROR_SERVICE_UNKNOWN
        package static let timeout = SD_BUS_ERROR_TIMEOUT
        package static let unknownInterface = SD_BUS_ERROR_UNKNOWN_INTERFACE
        package static let unknownMethod = SD_BUS_ERROR_UNKNOWN_METHOD
        package static let unknownObject = SD_BUS_ERROR_UNKNOWN_OBJECT
    }
}
