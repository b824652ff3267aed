/// The bus itself as a service.
///
/// Source: D-Bus Specification 0.43, "Message Bus Specification".
package enum DBusBus {
    package static let name = "org.freedesktop.DBus"
    package static let path = "/org/freedesktop/DBus"

    /// `DBUS_NAME_FLAG_DO_NOT_QUEUE`: a name that is taken is not waited for.
    private static let doNotQueue: UInt32 = 4
    private static let ownerChanged = "NameOwnerChanged"
    /// `DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER` and `…_ALREADY_OWNER`.
    private static let ownedReplies: Set<UInt32> = [1, 4]

    package static func call(_ member: String, _ body: [DBusValue] = []) -> DBusCall {
        DBusCall(member, of: name, at: path, in: name, body)
    }

    /// The unique name that a signal says has left the bus; nil for other signals.
    static func leaver(in signal: DBusMessage) -> String? {
        guard signal.sender == name, signal.interface == name, signal.member == ownerChanged,
            signal.signature == "sss", let leaver = signal.body[0].stringValue, leaver.hasPrefix(":"),
            signal.body[2].stringValue == ""
        else { return nil }
        return leaver
    }

    /// The rule for the signals that tell who has left the bus.
    fileprivate static let leavers =
        "type='signal',sender='\(name)',interface='\(name)',member='\(ownerChanged)',arg2=''"

    fileprivate static func isOwned(_ reply: [DBusValue]) -> Bool {
        reply.first?.uint32Value.map(ownedReplies.contains) ?? false
    }

    fileprivate static func request(_ name: String) -> DBusCall {
        call("RequestName", [.string(name), .uint32(doNotQueue)])
    }
}

extension DBusConnection {
    /// Asks for a name, under which others call our methods. The work for callers that leave the bus ends from then on.
    ///
    /// - Returns: false if another connection has it.
    /// - Throws: ``DBusError`` as ``call(_:within:)``.
    package func own(_ name: String) async throws(DBusError) -> Bool {
        try await subscribe(to: DBusBus.leavers)
        return DBusBus.isOwned(try await call(DBusBus.request(name)))
    }

    /// The user of a connection, by its unique name.
    ///
    /// - Throws: ``DBusError`` as ``call(_:within:)``.
    package func user(of name: String) async throws(DBusError) -> UInt32 {
        guard let user = try await call(DBusBus.call("GetConnectionUnixUser", [.string(name)])).first?.uint32Value
        else {
            throw DBusError(.wrongType, reason: "GetConnectionUnixUser returned an unexpected type")
        }
        return user
    }
}
