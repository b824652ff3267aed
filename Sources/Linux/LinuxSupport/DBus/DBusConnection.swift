internal import Synchronization

/// A connection to a message bus.
///
/// libsystemd's bus belongs to one thread: it is the loop's, and all others write commands into its inbox. Calls are
/// answered to the tasks that wait for them; foreign calls and signals go to the two closures given to
/// ``open(_:answer:on:)``, on the loop's thread and in order.
package final class DBusConnection: Sendable {
    /// A signal, or the end.
    package enum Event: Sendable {
        case signal(DBusMessage)
        /// Nothing comes any more.
        case ended(DBusError)
    }

    /// Longest time that a peer may take to answer: libdbus's and libsystemd's own limit.
    package static let callLimit = Duration.seconds(25)

    private let inbox: DBusInbox
    private let waiterCount = Atomic(0)

    private init(_ inbox: DBusInbox) { self.inbox = inbox }

    /// Opens a connection. Over `tcp:`, a bus that does not accept us as the user that we are is asked to accept us
    /// anonymously.
    ///
    /// - Parameters:
    ///   - address: the bus's address.
    ///   - answer: answers the calls of methods of ours, whatever their path.
    ///   - event: takes signals, once they are asked for, and the end.
    /// - Throws: ``DBusError`` with `no-bus`, `not-permitted`, `invalid-address`, `timeout`, `cancelled` or `failed`.
    package static func open(
        _ address: DBusAddress,
        answer: @escaping @Sendable (DBusMessage) -> DBusAnswer = { _ in .unknownMethod },
        on event: @escaping @Sendable (Event) -> Void
    ) async throws(DBusError) -> DBusConnection {
        do {
            return try await open(address, anonymously: false, answer: answer, on: event)
        } catch {
            // The library cannot tell in all cases that it was refused: some buses just close.
            guard address.isRemote, error.code == .notPermitted || error.code == .noBus else { throw error }
        }
        return try await open(address, anonymously: true, answer: answer, on: event)
    }

    private static func open(
        _ address: DBusAddress, anonymously: Bool, answer: @escaping @Sendable (DBusMessage) -> DBusAnswer,
        on event: @escaping @Sendable (Event) -> Void
    ) async throws(DBusError) -> DBusConnection {
        let inbox = try DBusInbox()
        let connection = DBusConnection(inbox)
        try DBusLoop.start(address, anonymously: anonymously, inbox, answer: answer) { happened in
            if case .signal(let signal) = happened { BusLog.note(signal) }
            event(happened)
        }
        do {
            // The library sends nothing of ours before the bus has accepted us.
            try await connection.wait { .open($0) }
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    /// Calls a method and waits for its answer.
    ///
    /// - Returns: the values of the answer.
    /// - Throws: ``DBusError`` with `refused` and the peer's name for it, `timeout`, `disconnected`, `wrong-type`,
    ///   `too-large`, `cancelled` or `failed`. A call of a cancelled task is carried out; its answer is dropped.
    @discardableResult
    package func call(_ call: DBusCall, within limit: Duration = callLimit) async throws(DBusError) -> [DBusValue] {
        let begin = ContinuousClock.now
        do throws(DBusError) {
            let values = try await wait { .call(call, within: limit, $0) }
            BusLog.note(call, after: .now - begin, .success(values))
            return values
        } catch {
            BusLog.note(call, after: .now - begin, .failure(error))
            throw error
        }
    }

    /// Asks for the signals that a rule describes (D-Bus Specification, "Match Rules").
    ///
    /// - Throws: ``DBusError`` as ``call(_:within:)``.
    package func subscribe(to rule: String) async throws(DBusError) {
        try await call(DBusBus.call("AddMatch", [.string(rule)]))
    }

    /// Sends a signal; one that cannot be sent is lost.
    package func emit(_ signal: DBusSignal) { inbox.put(.emit(signal)) }

    /// Ends the connection and returns when nothing of it is left, in a cancelled task too; calls that wait fail with
    /// `disconnected`.
    package func close() async {
        await withCheckedContinuation { done in inbox.put(.close(done)) }
    }

    @discardableResult
    private func wait(
        for command: @Sendable (DBusWaiter) -> DBusInbox.Command
    ) async throws(DBusError) -> [DBusValue] {
        let id = waiterCount.add(1, ordering: .relaxed).newValue
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                inbox.put(command(DBusWaiter(id: id, continuation: continuation)))
                // The handler of a task that was cancelled before has run before the command was there.
                if Task.isCancelled { inbox.put(.cancel(id)) }
            }
        } onCancel: {
            inbox.put(.cancel(id))
        }
        return try outcome.get()
    }
}
