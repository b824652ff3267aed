/// Failure of a service of the desktop's session.
///
/// Two errors are equal if their codes are.
package struct DesktopSessionError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// There is no message bus.
        case noBus = "no-bus"
        /// Nothing on the bus offers the service.
        case noService = "no-service"
        /// The service, or the bus, went away in the middle.
        case lost
        /// The task was cancelled.
        case cancelled
        /// The service refuses, fails, or does not keep to its interface.
        case serviceFailed = "service-failed"
    }

    package let code: Code
    /// For users: lower case, one line.
    package let reason: String

    package init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Maps an error of the message bus.
    ///
    /// - Parameters:
    ///   - error: the bus's or the peer's error.
    ///   - service: the service's name, for texts.
    init(_ error: DBusError, of service: String) {
        let code: Code =
            switch (error.code, error.name) {
            case (.cancelled, _): .cancelled
            case (.noBus, _), (.invalidAddress, _): .noBus
            case (_, DBusError.Name.serviceUnknown), (_, DBusError.Name.nameHasNoOwner): .noService
            case (.disconnected, _), (_, DBusError.Name.noReply), (_, DBusError.Name.disconnected): .lost
            default: .serviceFailed
            }
        self.init(code, reason: "\(service): \(error.reason)")
    }

    static func wrongType(_ member: String, of service: String) -> Self {
        Self(.serviceFailed, reason: "\(service): \(member) returned an unexpected type")
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    package var description: String { "\(code.rawValue): \(reason)" }
}
