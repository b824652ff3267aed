internal import CSystemd

/// The service manager that has started this process, if one has: systemd, or another that speaks its protocol,
/// sd_notify(3).
package enum ServiceManager {
    /// States of a service that the manager waits for.
    package enum State: String {
        /// The service can be used: it listens.
        case ready = "READY=1"
        /// The service has begun to end.
        case stopping = "STOPPING=1"
    }

    /// Tells the manager the state of the service.
    ///
    /// - Returns: false if no manager has asked to be told, or it cannot be reached: then it ends a service that it
    ///   waits for, when its time is over.
    @discardableResult
    package static func tell(_ state: State) -> Bool { sd_notify(0, state.rawValue) > 0 }
}
