/// A failure of the message bus, of a peer on it, or of a message.
///
/// Two errors are equal if their codes and, for an error that a peer answered with, its names are.
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
