internal import CSystemd

/// The answer to a call of one of our own methods.
package enum DBusAnswer: Sendable {
    case reply([DBusValue])
    /// An error. Its text is the first value of the message, as everywhere; the details follow it.
    case refusal(name: String, text: String, details: [DBusValue] = [])
    /// An answer that takes time, for instance because somebody is asked. Its task is cancelled when the caller leaves
    /// the bus or the connection ends; then nobody waits for it.
    indirect case later(@Sendable () async -> DBusAnswer)

    package static let unknownMethod = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_METHOD, text: "there is no such method here")
    package static let unknownObject = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_OBJECT, text: "there is no such object here")
    package static let unknownInterface = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_INTERFACE, text: "there is no such interface here")
    package static let unknownProperty = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_PROPERTY, text: "there is no such property here")
    package static let readOnlyProperty = Self.refusal(
        name: SD_BUS_ERROR_PROPERTY_READ_ONLY, text: "the property cannot be set")
    package static let accessDenied = Self.refusal(name: SD_BUS_ERROR_ACCESS_DENIED, text: "this is not for you")
    package static let limitsExceeded = Self.refusal(
        name: SD_BUS_ERROR_LIMITS_EXCEEDED, text: "too many calls wait for an answer")

    /// Refusal of arguments.
    package static func invalidArguments(_ text: String) -> Self {
        .refusal(name: SD_BUS_ERROR_INVALID_ARGS, text: text)
    }
}
