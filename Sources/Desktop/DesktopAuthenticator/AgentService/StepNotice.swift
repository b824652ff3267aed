package import LinuxSupport

/// A notification about the user's next step: the one after takes its place, and it is taken away at the end.
package actor StepNotice {
    private static let critical: UInt8 = 2

    private let connection: DBusConnection
    /// The number of the notification that is shown; 0 for none.
    private var number: UInt32 = 0

    private init(_ connection: DBusConnection) { self.connection = connection }

    /// Connects to the session bus. Nothing is shown.
    ///
    /// - Throws: `DBusError`.
    package static func connect(to address: DBusAddress) async throws(DBusError) -> StepNotice {
        StepNotice(try await DBusConnection.open(address) { _ in })
    }

    /// Shows a step. The daemon is started if need be.
    ///
    /// - Parameters:
    ///   - summary: one line.
    ///   - body: the text below.
    ///   - time: the longest time for which it is shown.
    /// - Throws: `DBusError`.
    package func show(_ summary: String, _ body: String, for time: Duration) async throws(DBusError) {
        let milliseconds = Int32(clamping: max(time.components.seconds, 1).multipliedReportingOverflow(by: 1_000).0)
        number = try await DesktopNotice.show(
            summary, body, replacing: number, urgency: Self.critical, time: milliseconds, over: connection)
    }

    /// Takes the notification away, whatever becomes of the calling task, and ends the connection.
    package func takeAway() async {
        let (shown, connection) = (number, connection)
        number = 0
        await Task {
            // One that is gone already is refused.
            if shown > 0 { try? await DesktopNotice.takeAway(shown, over: connection) }
            await connection.close()
        }.value
    }
}
