internal import Synchronization

/// A connection to a message bus.
///
/// libsystemd's bus belongs to one thread: it is the loop's, and everybody else writes wishes into its inbox. Calls are answered
/// to tasks that wait for them; what comes unasked goes to the two closures given to ``open(_:answer:on:)``, on the loop's
/// thread and in order.
package final class DBusConnection: Sendable {
    /// What comes unasked.
    package enum Event: Sendable {
        case signal(DBusMessage)
        /// Nothing comes any more.
        case ended(DBusError)
    }

    /// How long a peer may take to answer: libdbus's and libsystemd's own limit.
    package static let callLimit = Duration.seconds(25)
    /// How long the bus may take to let us in.
    private static let openLimit = Duration.seconds(10)

    private let inbox: DBusInbox

    private init(_ inbox: DBusInbox) { self.inbox = inbox }

    /// Opens a connection. Over `tcp:`, a bus that does not take us as the user that we are is asked to take us as nobody.
    ///
    /// - Parameters:
    ///   - address: where the bus is.
    ///   - answer: answers the calls of methods of ours, whatever their path.
    ///   - event: takes signals, once they are asked for, and the end.
    /// - Throws: ``DBusError`` with `no-bus`, `not-permitted`, `invalid-address`, `timeout`, `cancelled` or `failed`.
    package static func open(
        _ address: DBusAddress,
        answer: @escaping @Sendable (DBusMessage) -> DBusAnswer = { _ in .unknownMethod },
        on event: @escaping @Sendable (Event) -> Void
    ) async throws(DBusError) -> DBusConnection {
        do {
            return try await open(address, anonymously: false, answer, event)
        } catch {
            // The library cannot tell in all cases that it was refused: some buses just hang up.
            guard address.isRemote, error.code == .notPermitted || error.code == .noBus else { throw error }
        }
        return try await open(address, anonymously: true, answer, event)
    }

    private static func open(
        _ address: DBusAddress, anonymously: Bool, _ answer: @escaping @Sendable (DBusMessage) -> DBusAnswer,
        _ event: @escaping @Sendable (Event) -> Void
    ) async throws(DBusError) -> DBusConnection {
        let inbox = try DBusInbox()
        let connection = DBusConnection(inbox)
        try DBusLoop.start(address, anonymously: anonymously, inbox, answer: answer, on: event)
        do {
            // The library sends nothing of ours before the bus has let us in.
            try await connection.wait(openLimit) { .open($0) }
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    /// Calls a method and waits for its answer.
    ///
    /// - Returns: the values of the answer.
    /// - Throws: ``DBusError`` with `refused` and the peer's name for it, `timeout`, `disconnected`, `wrong-type`, `too-large`,
    ///   `cancelled` or `failed`. A call that was sent is carried out even if nobody waits any longer.
    @discardableResult
    package func call(_ call: DBusCall, within limit: Duration = callLimit) async throws(DBusError) -> [DBusValue] {
        try await wait(limit) { .call(call, $0) }
    }

    /// Asks for the signals that a rule describes (D-Bus Specification, "Match Rules").
    ///
    /// - Throws: ``DBusError`` as ``call(_:within:)``.
    package func subscribe(to rule: String) async throws(DBusError) {
        try await call(DBusBus.call("AddMatch", [.string(rule)]))
    }

    /// Ends the connection and returns when nothing of it is left; waiting calls are told `disconnected`. In a cancelled task too.
    package func close() async {
        await withCheckedContinuation { done in inbox.put(.close(done)) }
    }

    @discardableResult
    private func wait(
        _ limit: Duration, for wish: @escaping @Sendable (DBusTicket) -> DBusInbox.Wish
    ) async throws(DBusError) -> [DBusValue] {
        let ticket = DBusTicket(deadline: .now + limit)
        let inbox = inbox
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ticket.expect(continuation)
                inbox.put(wish(ticket))
            }
        } onCancel: {
            ticket.cancel()
            inbox.put(.look)
        }
        return try result.get()
    }
}

/// The bus itself as a peer.
package enum DBusBus {
    package static let name = "org.freedesktop.DBus"
    package static let path = "/org/freedesktop/DBus"

    package static func call(_ member: String, _ body: [DBusValue]) -> DBusCall {
        DBusCall(name, path, name, member, body)
    }
}
