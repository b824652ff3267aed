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
    /// The types of ``body``.
    package let signature: String
    package let body: [DBusValue]
}

/// A signal to be sent to every listener.
package struct DBusSignal: Sendable {
    package let path: String
    package let interface: String
    package let member: String
    package let body: [DBusValue]

    package init(_ member: String, of interface: String, at path: String, _ body: [DBusValue] = []) {
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
    }
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
