internal import Logging

/// Log of the message buses: at debug each call, by its names, with the outcome; at trace each signal too.
///
/// Arguments and values are never in it, nor paths of objects other than BlueZ's; those have no device's address.
enum BusLog {
    private static let logger = Logger(label: "bus")
    private static let bluez = "org.bluez"
    private static let device = "/dev_"

    /// Notes the outcome of a call.
    static func note(_ call: DBusCall, after time: Duration, _ outcome: Result<[DBusValue], DBusError>) {
        logger.debug("\(call.name)\(place(call.path, call.interface)): \(text(outcome)), \(time.wholeMilliseconds) ms")
    }

    /// Notes a signal.
    static func note(_ signal: DBusMessage) {
        logger.trace("signal \(signal.interface).\(signal.member)\(place(signal.path, signal.interface))")
    }

    private static func text(_ outcome: Result<[DBusValue], DBusError>) -> String {
        switch outcome {
        case .success: "answered"
        case .failure(let error): error.code.rawValue + (error.name.map { " (\($0))" } ?? "")
        }
    }

    private static func place(_ path: String, _ interface: String) -> String {
        let isBlueZ = path.hasPrefix("/org/bluez") || interface.hasPrefix(bluez)
        guard isBlueZ, let mark = path.firstRange(of: device) else { return isBlueZ ? " at \(path)" : "" }
        return " at \(path[..<mark.upperBound])…"
    }
}

extension Duration {
    /// The duration in milliseconds, cut to whole ones.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000).partialValue + attoseconds / 1_000_000_000_000_000
    }
}
