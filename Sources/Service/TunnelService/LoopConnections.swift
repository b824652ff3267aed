import NIOCore

/// The connections of a service. They are looked at in turn at every tick, so that no connection needs a timer of its
/// own.
final class LoopConnections {
    /// The turns of those that have brought in more than a portion.
    let turns = PortionTurns()

    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]

    /// Adds a connection.
    func insert(_ connection: ConnectionHandler) { connections[ObjectIdentifier(connection)] = connection }

    /// Removes a connection.
    func remove(_ connection: ConnectionHandler) { connections[ObjectIdentifier(connection)] = nil }

    /// Does something with every connection there is now.
    func forEach(_ body: (ConnectionHandler) -> Void) {
        // A copy: what is done may close connections, which removes them.
        for connection in Array(connections.values) { body(connection) }
    }
}
