/// The times of the messages between the nodes of a service.
package struct ClusterTimes: Sendable {
    /// From one message `alive` to the next.
    package var alive = Duration.seconds(5)
    /// The shortest time from one announcement of everything to the next.
    package var rest = Duration.seconds(1)
    /// Ages of registrations that differ by less say nothing: a message needs that long.
    package var agreement = Duration.seconds(1)
    /// The longest wait for the number of another registration, and for another process of this node's name.
    package var query = Duration.seconds(2)
    /// The time for which a process is believed after it was asked for a proof that it runs, and so the longest for
    /// which its messages can be held back. After half of it it is asked again.
    package var proof = Duration.seconds(300)

    /// The times of a service.
    package init() {}
}
