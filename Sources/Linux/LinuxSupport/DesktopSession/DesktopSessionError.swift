@_exported public import Errors

/// Failure of a service of the desktop's session.
package typealias DesktopSessionError = CodedError<DesktopSessionErrorCode>

/// Kind of failure.
package enum DesktopSessionErrorCode: String, ErrorCode {
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

extension DesktopSessionError {
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
}
