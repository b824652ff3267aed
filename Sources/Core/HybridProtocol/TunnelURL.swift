/// The URL of a tunnel at a tunnel service (HT-TUN-4, HT-TUN-5, HT-TUN-13).
///
/// Hexadecimal digits are lower case: every service takes them, and one insists (HT-TUN-7).
public struct TunnelURL: Sendable, Hashable {
    /// The whole URL, scheme `wss` or `ws`.
    public let text: String

    /// A tunnel service: the domain's own, or one at another address.
    public struct Service: Sendable, Hashable {
        /// The scheme, the name and perhaps the port, to which a path is appended.
        package let base: String

        /// The service of a tunnel domain, by TLS on the standard port.
        public init(_ domain: TunnelDomain) { base = "wss://\(domain.host())" }

        /// A service at another address, for tests and labs.
        ///
        /// - Parameter address: `wss://host[:port]`, or `ws://` for one on this machine; a slash at the end is dropped.
        public init(address: String) {
            base = address.hasSuffix("/") ? String(address.dropLast()) : address
        }
    }

    /// The URL at which an authenticator opens a tunnel.
    public static func new(_ tunnelID: TunnelID, at service: Service) -> Self {
        Self(text: "\(service.base)\(TunnelPath.newPrefix)\(tunnelID.hex)")
    }

    /// The URL at which a client joins it.
    public static func connect(_ tunnelID: TunnelID, routingID: RoutingID, at service: Service) -> Self {
        Self(text: "\(service.base)\(TunnelPath.connectPrefix)\(routingID.hex)/\(tunnelID.hex)")
    }

    /// The URL at which a linked client asks for its authenticator.
    public static func contact(_ contactID: ContactID, at service: Service) -> Self {
        Self(text: "\(service.base)\(TunnelPath.contactPrefix)\(contactID.base64URL)")
    }
}
