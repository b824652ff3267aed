/// The address of a message bus: `unix:path=/run/dbus/system_bus_socket`, or `tcp:host=127.0.0.1,port=55555`.
///
/// The other kinds of D-Bus addresses are refused: `unixexec:` would start programs, `autolaunch:` a bus of its own.
///
/// Source: D-Bus Specification 0.43, "Server Addresses".
package struct DBusAddress: Hashable, Sendable {
    /// The bus of the machine or of the login.
    package enum Bus: String, Sendable, CustomStringConvertible {
        /// The machine's bus.
        case system = "system bus"
        /// The logged-in user's bus.
        case session = "session bus"

        /// The environment's name for the address.
        package var variable: String {
            switch self {
            case .system: "DBUS_SYSTEM_BUS_ADDRESS"
            case .session: "DBUS_SESSION_BUS_ADDRESS"
            }
        }
        package var description: String { rawValue }
    }

    /// The system bus's address unless the environment has another.
    private static let standardSystem = "unix:path=/run/dbus/system_bus_socket"
    /// The environment's name for the directory of a login's sockets, where systemd puts the session bus's.
    private static let runtimeDirectory = "XDG_RUNTIME_DIR"
    private static let standardSessionName = "bus"
    /// The longest address that is read, in bytes of UTF-8.
    private static let longestText = 4_096
    private static let local = "unix:"
    private static let remote = "tcp:"

    /// The address, or several with semicolons between them, tried in order.
    package let text: String
    /// The bus that is there, for texts.
    package let bus: Bus
    /// True if the bus may be another machine's.
    package let isRemote: Bool

    /// Reads an address.
    ///
    /// - Throws: ``DBusError`` with `invalid-address`.
    package init(parsing text: String, bus: Bus = .system) throws(DBusError) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: true)
        let isUsable = parts.allSatisfy { $0.hasPrefix(Self.local) || $0.hasPrefix(Self.remote) }
        guard !parts.isEmpty, isUsable, text.utf8.count <= Self.longestText, !text.utf8.contains(0) else {
            throw DBusError(.invalidAddress, reason: "\(bus.variable) names no unix: or tcp: address")
        }
        self.text = text
        self.bus = bus
        isRemote = parts.contains { $0.hasPrefix(Self.remote) }
    }

    /// The system bus of this machine, whatever the environment says: for calls that another machine must not answer.
    ///
    /// - Throws: ``DBusError`` with `invalid-address`.
    package static func ofThisMachine() throws(DBusError) -> Self { try Self(parsing: standardSystem) }

    /// The system bus's address, from the environment if it is there.
    ///
    /// - Throws: ``DBusError`` with `invalid-address`.
    package static func system() throws(DBusError) -> Self {
        try Self(parsing: ProcessEnvironment.value(Bus.system.variable) ?? standardSystem)
    }

    /// The session bus's address, from the environment, or where systemd puts it.
    ///
    /// - Throws: ``DBusError`` with `invalid-address`, or `no-bus` outside of a session.
    package static func session() throws(DBusError) -> Self {
        if let text = ProcessEnvironment.value(Bus.session.variable) { return try Self(parsing: text, bus: .session) }
        guard let directory = ProcessEnvironment.value(runtimeDirectory) else {
            throw DBusError(.noBus, reason: "there is no desktop session: \(Bus.session.variable) is not set")
        }
        return try Self(parsing: "\(local)path=\(escaped("\(directory)/\(standardSessionName)"))", bus: .session)
    }

    /// A value of an address: all but letters, digits and `-_/\.` stand as `%XX`.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: plainMarks.contains(byte)
                }
            if isPlain { return String(UnicodeScalar(byte)) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
        }.joined()
    }

    private static let plainMarks: Set<UInt8> = Set("-_/\\.*".utf8)
}
