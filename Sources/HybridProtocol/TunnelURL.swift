/// Where the two ends of a session meet: the URLs of a tunnel service (PROTOCOL.md 5.1).
///
/// Hexadecimal digits are lower case: every service takes them, and one insists.
public struct TunnelURL: Sendable, Hashable {
    /// The whole URL, scheme `wss` or `ws`.
    public let text: String

    /// The value of `Sec-WebSocket-Protocol` in every request and answer.
    public static let subprotocol = "fido.cable"
    /// The name of the header in which the service tells an authenticator the routing ID.
    public static let routingIDHeader = "X-caBLE-Routing-ID"
    /// The name of the header in which a linked client says which link it means; see ``ContactRequest/headerValue``.
    public static let clientPayloadHeader = "X-caBLE-Client-Payload"
    /// The name of the header by which a linked client asks for the signal, and the service says that there will be one.
    public static let signalConnectionHeader = "X-caBLE-Signal-Connection"
    /// The value of that header in the request. In the answer any value means yes.
    public static let signalConnectionRequest = "true"
    /// The signal: the one message by which the service itself tells a linked client that the authenticator has joined
    /// (PROTOCOL.md 5.3). It comes before any other message.
    public static let signalMessage: [UInt8] = [0]

    /// A tunnel service: the domain's own, or one at another address.
    public struct Service: Sendable, Hashable {
        /// The scheme, the name and perhaps the port, to which a path is appended.
        package let base: String

        /// The service of a tunnel domain, by TLS on the standard port.
        ///
        /// - Throws: `cryptographyFailed`.
        public init(_ domain: TunnelDomain) throws(HybridProtocolError) { base = "wss://\(try domain.host())" }

        /// A service at another address, for tests and labs.
        ///
        /// - Parameter address: `wss://host[:port]`, or `ws://` for one on this machine; a slash at the end is dropped.
        public init(address: String) {
            base = address.hasSuffix("/") ? String(address.dropLast()) : address
        }
    }

    /// Where an authenticator opens a tunnel.
    public static func new(_ tunnelID: TunnelID, at service: Service) -> Self {
        Self(text: "\(service.base)/cable/new/\(tunnelID.hex)")
    }

    /// Where a client joins it.
    public static func connect(_ tunnelID: TunnelID, routingID: RoutingID, at service: Service) -> Self {
        Self(text: "\(service.base)/cable/connect/\(routingID.hex)/\(tunnelID.hex)")
    }

    /// Where a linked client asks for its authenticator.
    public static func contact(_ contactID: ContactID, at service: Service) -> Self {
        Self(text: "\(service.base)/cable/contact/\(contactID.base64URL)")
    }
}
