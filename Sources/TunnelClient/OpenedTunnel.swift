/// A tunnel that is open, and what the service said when it opened it.
public struct OpenedTunnel: Sendable {
    /// The channel to the other end.
    public let channel: WebSocketChannel
    /// The value of the header `X-caBLE-Routing-ID`, unparsed, if the service sent one: on `new`, 6 hexadecimal digits.
    public let routingIDHeader: String?
}
