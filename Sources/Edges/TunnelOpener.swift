/// Something that can open the WebSocket data channel at a tunnel service.
///
/// Source: CTAP 2.3 section 11.5.1.1.1; PROTOCOL.md 5.
public protocol TunnelOpener: Sendable {
    /// Opens a tunnel.
    ///
    /// - Parameter url: `wss://…`, or `ws://…` on this machine, with the whole path.
    /// - Returns: the open channel, and what the service said of it.
    /// - Throws: ``DataChannelError``; cancelling the task ends the attempt and leaves no connection.
    func open(_ url: String) async throws(DataChannelError) -> OpenedTunnel
}

/// A tunnel that a service has opened for us.
public struct OpenedTunnel: Sendable {
    /// The channel through it.
    public let channel: any DataChannel
    /// The value of the header `X-caBLE-Routing-ID` as the service sent it; nil if it sent none.
    public let routingIDHeader: String?

    /// Makes an opened tunnel.
    public init(channel: any DataChannel, routingIDHeader: String?) {
        self.channel = channel
        self.routingIDHeader = routingIDHeader
    }
}
