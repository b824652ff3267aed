import NIOCore

/// What a connection is at: its request, or its tunnel. Lives on the connection's event loop.
protocol ConnectionStage: AnyObject {
    /// Bytes came in; called before they are handed on.
    func heard()
    /// Time has passed: look at the deadlines.
    func tick(_ now: NIODeadline)
    /// The service is being shut down: end what has not become a tunnel with two ends.
    func drain()
    /// The drain time is over: end in good order.
    func goAway()
}
