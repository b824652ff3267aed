internal import CSystemd

/// A message as it came from the bus, read as a whole.
///
/// Source: D-Bus Specification 0.43, "Message Protocol".
package struct DBusMessage: Sendable {
    /// The sender's unique name, authenticated by the bus. Empty for the bus's own on a connection without one.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    package let body: [DBusValue]
}

/// A method call to be sent.
package struct DBusCall: Sendable {
    package let destination: String
    package let path: String
    package let interface: String
    package let member: String
    package let body: [DBusValue]
    /// True if the bus starts the service if it does not run. A service that its user has stopped stays stopped, unless
    /// it is made to be started by its first call.
    package let startsService: Bool

    /// - Parameters:
    ///   - member: the method.
    ///   - interface: the interface that has the method.
    ///   - path: the object's path.
    ///   - destination: the name of the object's service on the bus.
    ///   - body: the arguments.
    ///   - startsService: see ``startsService``.
    package init(
        _ member: String, of interface: String, at path: String, in destination: String, _ body: [DBusValue] = [],
        startsService: Bool = false
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
        self.startsService = startsService
    }

    package var name: String { "\(interface).\(member)" }
}

/// The answer to a call of one of our own methods.
package enum DBusAnswer: Sendable {
    case reply([DBusValue])
    case refusal(name: String, text: String)

    package static let unknownMethod = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_METHOD, text: "there is no such method here")
    package static let unknownProperty = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_PROPERTY, text: "there is no such property here")
    package static let accessDenied = Self.refusal(name: SD_BUS_ERROR_ACCESS_DENIED, text: "this is not for you")
}
