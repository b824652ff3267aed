/// The WebSocket of a tunnel (RFC 6455; HT-TUN-3, HT-TUN-75, HT-TUN-78).
public enum TunnelWebSocket {
    /// The subprotocol: the value of `Sec-WebSocket-Protocol` in every request and answer.
    public static let subprotocol = "fido.cable"
    /// The signal: the message by which the service tells a linked client that the authenticator has joined. It comes
    /// before any other message.
    public static let signalMessage: [UInt8] = [0]
    /// The longest message by default: 1 MiB, as in the field's implementations.
    public static let defaultMessageByteCount = 1 << 20
    /// The longest message that the framing of services and clients can be told to take: 2^30 bytes.
    package static let maximumMessageByteCount = 1 << 30
}
