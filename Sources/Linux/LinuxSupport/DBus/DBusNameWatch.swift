internal import Synchronization

/// The present owner of a name on the bus.
///
/// A match rule keeps out signals of others, but not those that another peer sends to this connection alone. So each
/// signal's sender has to be compared with the owner.
package final class DBusNameWatch: Sendable {
    private struct State {
        var owner: String?
        /// The bus has told of a change, which is newer than the answer to a question asked before.
        var hasChanged = false
    }

    package let name: String
    private let state = Mutex(State())

    /// Watches nothing before ``start(over:)``.
    package init(_ name: String) { self.name = name }

    /// The owner's unique name; nil if there is none.
    package var owner: String? { state.withLock(\.owner) }

    /// Begins to watch, over the connection whose signals are given to ``receive(_:)``.
    ///
    /// - Returns: the present owner; nil if there is none. It is not started.
    /// - Throws: ``DBusError`` as ``DBusConnection/call(_:within:)``.
    @discardableResult
    package func start(over connection: DBusConnection) async throws(DBusError) -> String? {
        try await connection.subscribe(
            to: "type='signal',sender='\(DBusBus.name)',interface='\(DBusBus.name)',member='NameOwnerChanged',"
                + "arg0='\(name)'")
        let owner: String?
        do throws(DBusError) {
            owner = try await connection.call(DBusBus.call("GetNameOwner", [.string(name)])).first?.stringValue
        } catch {
            guard error.name == DBusError.Name.nameHasNoOwner else { throw error }
            owner = nil
        }
        return state.withLock { state in
            if !state.hasChanged { state.owner = owner }
            return state.owner
        }
    }

    /// Takes a signal, in the order in which they come.
    ///
    /// - Returns: true if it tells that the name has another owner now, or none.
    package func receive(_ signal: DBusMessage) -> Bool {
        guard signal.sender == DBusBus.name, signal.member == "NameOwnerChanged", signal.body.count == 3,
            signal.body[0].stringValue == name, let new = signal.body[2].stringValue
        else { return false }
        state.withLock { state in
            state.owner = new.isEmpty ? nil : new
            state.hasChanged = true
        }
        return true
    }

    /// True if a signal comes from the owner.
    package func isSender(of signal: DBusMessage) -> Bool { owner.map { $0 == signal.sender } ?? false }
}
