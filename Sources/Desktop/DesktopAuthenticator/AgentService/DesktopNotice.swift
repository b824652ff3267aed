package import LinuxSupport

/// Notifications that say what has happened, and want no answer.
///
/// Source: the Desktop Notifications Specification 1.2 (freedesktop.org).
package enum DesktopNotice {
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let limit = Duration.seconds(5)

    /// Shows a notification. The daemon is started if need be.
    ///
    /// - Throws: `DBusError`.
    package static func tell(_ summary: String, _ body: String, at address: DBusAddress) async throws(DBusError) {
        try await connected(to: address) { (connection) throws(DBusError) in
            _ = try await show(summary, body, over: connection)
        }
    }

    /// Shows a notification.
    ///
    /// - Parameters:
    ///   - replaced: the notification whose place it takes; 0 for none.
    ///   - urgency: 0 for low, 1 for normal, 2 for critical.
    ///   - time: the time for which it is shown, in milliseconds; -1 for the daemon's own.
    /// - Returns: its number; 0 if the daemon gives none.
    static func show(
        _ summary: String, _ body: String, replacing replaced: UInt32 = 0, urgency: UInt8 = 1, time: Int32 = -1,
        over connection: DBusConnection
    ) async throws(DBusError) -> UInt32 {
        let text = try await capabilities(connection).contains("body-markup") ? escaped(body) : body
        return try await connection.call(
            call(
                "Notify",
                [
                    .string("hybrid"), .uint32(replaced), .string("dialog-password"), .string(summary), .string(text),
                    .emptyArray(of: "s"), .dictionary(["urgency": .byte(urgency)]), .int32(time),
                ]), within: limit
        ).first?.uint32Value ?? 0
    }

    /// Takes a notification away.
    static func takeAway(_ number: UInt32, over connection: DBusConnection) async throws(DBusError) {
        try await connection.call(call("CloseNotification", [.uint32(number)]), within: limit)
    }

    /// True if the daemon shows buttons. It is started if need be.
    ///
    /// - Throws: `DBusError`.
    package static func hasButtons(at address: DBusAddress) async throws(DBusError) -> Bool {
        try await connected(to: address) { (connection) throws(DBusError) in
            try await capabilities(connection).contains("actions")
        }
    }

    private static func connected<Value: Sendable>(
        to address: DBusAddress, _ body: (DBusConnection) async throws(DBusError) -> Value
    ) async throws(DBusError) -> Value {
        let connection = try await DBusConnection.open(address) { _ in }
        let outcome: Result<Value, DBusError>
        do throws(DBusError) { outcome = .success(try await body(connection)) } catch { outcome = .failure(error) }
        await connection.close()
        return try outcome.get()
    }

    private static func capabilities(_ connection: DBusConnection) async throws(DBusError) -> [String] {
        try await connection.call(call("GetCapabilities"), within: limit).first?.stringsValue ?? []
    }

    private static func call(_ member: String, _ body: [DBusValue] = []) -> DBusCall {
        DBusCall(member, of: name, at: path, in: name, body, startsService: true)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}
