internal import LinuxSupport

extension VerificationError {
    /// Maps an error of the message bus, where the service gives it no meaning of its own.
    ///
    /// - Parameters:
    ///   - error: the bus's or the peer's error.
    ///   - service: the service's name.
    init(_ error: DBusError, of service: String) {
        let code: Code =
            switch (error.code, error.name) {
            case (.cancelled, _): .cancelled
            case (.timeout, _), (_, DBusError.Name.timeout): .serviceFailed
            case (.noBus, _), (.invalidAddress, _), (_, DBusError.Name.serviceUnknown),
                (_, DBusError.Name.nameHasNoOwner):
                .noService
            case (.notPermitted, _), (_, DBusError.Name.accessDenied): .notPermitted
            case (.disconnected, _), (_, DBusError.Name.noReply), (_, DBusError.Name.disconnected): .lost
            default: .serviceFailed
            }
        self.init(code, reason: "\(service): \(error.reason)")
    }

    /// A message of the service's is not what its interface says.
    static func wrongType(_ member: String, of service: String) -> Self {
        Self(.serviceFailed, reason: "\(service): \(member) returned an unexpected type")
    }
}

extension DBusConnection {
    /// Calls a method whatever becomes of the calling task: to tidy up. What the service says to it makes no
    /// difference.
    func tidy(_ call: DBusCall) async {
        _ = await Task { try? await self.call(call, within: tidyingLimit) }.value
    }
}

/// Longest time for a call that tidies up.
private let tidyingLimit = Duration.seconds(3)
