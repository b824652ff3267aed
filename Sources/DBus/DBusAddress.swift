/// Where a message bus is: `unix:path=/run/dbus/system_bus_socket`, or `tcp:host=127.0.0.1,port=55555`.
///
/// The other kinds of D-Bus addresses are refused: `unixexec:` would start programs, `autolaunch:` a bus of its own.
///
/// Source: D-Bus Specification 0.43, "Server Addresses".
package struct DBusAddress: Hashable, Sendable {
    /// The environment's name for the system bus's address.
    package static let variable = "DBUS_SYSTEM_BUS_ADDRESS"
    /// Where the system bus is unless the environment says otherwise.
    package static let standard = "unix:path=/run/dbus/system_bus_socket"
    /// The longest address that is read, in bytes of UTF-8.
    private static let longestText = 4_096
    private static let local = "unix:"
    private static let remote = "tcp:"

    /// The address, or several with semicolons between them, tried in order.
    package let text: String
    /// Whether the bus may be another machine's.
    package let isRemote: Bool

    /// Reads an address.
    ///
    /// - Throws: ``DBusError`` with `invalid-address`.
    package init(parsing text: String) throws(DBusError) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: true)
        let isUsable = parts.allSatisfy { $0.hasPrefix(Self.local) || $0.hasPrefix(Self.remote) }
        guard !parts.isEmpty, isUsable, text.utf8.count <= Self.longestText, !text.utf8.contains(0) else {
            throw DBusError(.invalidAddress, reason: "\(Self.variable) names no unix: or tcp: address")
        }
        self.text = text
        isRemote = parts.contains { $0.hasPrefix(Self.remote) }
    }

    /// The system bus's address, from the environment if it is there.
    ///
    /// - Throws: ``DBusError`` with `invalid-address`.
    package static func system() throws(DBusError) -> Self {
        try Self(parsing: ProcessEnvironment.value(variable) ?? standard)
    }
}
