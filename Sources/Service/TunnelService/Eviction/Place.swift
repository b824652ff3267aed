/// The place of a connection among those that can be ended when others need it.
final class Place {
    /// The use of a connection. The numbers are those of the queues in ``EvictionOrder``.
    enum Standing: Int, Sendable, CaseIterable {
        /// It has not asked for anything yet.
        case request
        /// Its tunnel waits for the second end.
        case waiting
        /// Its tunnel has both ends, of which one has not spoken, or has had the time of a ceremony.
        case idle
        /// Its authenticator waits to be woken.
        case listening
        /// Its tunnel is in the middle of a ceremony: both ends have sent messages.
        case speaking
        /// It was refused, has to go, or closes: it is there only for its peer to read the last of it.
        case closing

        /// The name that metrics have for it.
        var name: String { "\(self)" }
    }

    /// The address for which the connection is counted.
    let address: AddressKey
    /// The connection, which drops the place when it ends. (A weak reference would slow down each use of it.)
    let connection: ConnectionHandler?
    /// The use of the connection. One that closes goes on closing.
    var standing: Standing
    /// The number of changes of all places until the connection last spoke: the lower, the longer it has been silent.
    var age: UInt64 = 0
    /// The age that it has once its queue is in order; `nil` if it has not spoken since.
    var renewedAge: UInt64?

    /// The network whose place it is; `nil` if it is in no queue.
    unowned var network: NetworkQueue.Network?
    /// The next one of the address that fell silent.
    var next: Place?
    /// The one before it.
    unowned var previous: Place?

    /// A place that is in no queue.
    init(address: AddressKey, connection: ConnectionHandler?, standing: Standing = .request) {
        self.address = address
        self.connection = connection
        self.standing = standing
    }
}
