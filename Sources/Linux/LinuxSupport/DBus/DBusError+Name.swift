internal import CSystemd

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
