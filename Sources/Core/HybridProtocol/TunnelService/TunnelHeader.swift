/// The HTTP header fields of a tunnel service's requests and answers, besides WebSocket's own
/// (HT-TUN-16, HT-TUN-39, HT-TUN-77).
public enum TunnelHeader {
    /// The field in which the service tells an authenticator the routing ID: 6 hexadecimal digits.
    public static let routingID = "X-caBLE-Routing-ID"
    /// The field in which a linked client names its link: ``ContactHeaders/clientPayload`` in hexadecimal digits.
    public static let clientPayload = "X-caBLE-Client-Payload"
    /// The field by which a linked client asks for the signal, and the service announces it.
    public static let signalConnection = "X-caBLE-Signal-Connection"
    /// The value of ``signalConnection`` in a request. In an answer any value means yes.
    public static let signalConnectionValue = "true"
}
