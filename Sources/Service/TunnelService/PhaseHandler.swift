import NIOCore

/// The handler of a connection's present phase: its request, its tunnel, or its wait to be woken.
///
/// It lives on the connection's event loop.
protocol PhaseHandler: AnyObject {
    /// Takes note of bytes that came in, before they are handed on.
    func bytesReceived()
    /// Looks at the deadlines.
    func tick(_ now: NIODeadline)
    /// Ends the connection unless it has become a tunnel with two ends: the service is being shut down.
    func drain()
    /// Ends the connection, so that its peer can try again: others need its place.
    func evict()
    /// Closes with a Close frame: the drain time is over.
    func goAway()
    /// Ends the connection, which brings too many short TLS records. Its bytes are dropped from now on.
    func exceededRecordRate()
}
