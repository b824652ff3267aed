import NIOCore
import NIOSSL
public import TunnelProtocol

extension TunnelService {
    /// The address, security, names and limits of a service.
    public struct Configuration: Sendable {
        /// The host name or address to listen on.
        public var host: String
        /// The port to listen on, 0…65535; 0 lets the system choose.
        public var port: Int
        /// TLS, or none.
        public var security: Security
        /// The routing ID that authenticators are told and clients must name.
        public var routingID: RoutingID
        /// Names that an `Origin` may carry beside the one in the `Host` header. If there are any, authenticators can
        /// register under these alone: then another service cannot pass on a registration that was meant for it.
        public var hostNames: [String]
        /// Issues contact IDs; `nil` for a service that wakes no authenticators. It must be made from the same secret
        /// at every start: another one makes every client forget its links.
        public var contactTokens: ContactTokenIssuer?
        /// The limits of what peers may use.
        public var limits: Limits
        /// The time that tunnels may go on after a graceful shutdown began. 30 seconds by default.
        public var drainTime: Duration

        /// Makes a configuration; `security` has no default.
        public init(
            host: String = "127.0.0.1",
            port: Int = 0,
            security: Security,
            routingID: RoutingID = .zero,
            hostNames: [String] = [],
            contactTokens: ContactTokenIssuer? = nil,
            limits: Limits = Limits(),
            drainTime: Duration = .seconds(30)
        ) {
            self.host = host
            self.port = port
            self.security = security
            self.routingID = routingID
            self.hostNames = hostNames
            self.contactTokens = contactTokens
            self.limits = limits
            self.drainTime = drainTime
        }

        /// The address to listen on.
        ///
        /// - Throws: ``TunnelServiceError`` with the code `cannot-listen` if the name does not resolve, or
        ///   `plain-not-allowed` if it stands for other addresses than loopback and the service would speak plainly.
        func listeningAddress() throws(TunnelServiceError) -> SocketAddress {
            guard let address = try? SocketAddress.makeAddressResolvingHost(host, port: port),
                (0...Int(UInt16.max)).contains(port)
            else {
                throw TunnelServiceError(.cannotListen, reason: "\(host) with port \(port) is no address")
            }
            if case .plain = security, !address.isLoopback {
                throw TunnelServiceError(
                    .plainNotAllowed,
                    reason: "without TLS the service listens on loopback only, unless a proxy in front speaks TLS"
                )
            }
            return address
        }
    }

    /// The security of the connections.
    public enum Security: Sendable {
        /// TLS 1.2 and 1.3.
        case tls(TLSIdentity)
        /// No TLS, on loopback addresses only.
        case plain
        /// No TLS, on any address: for a service behind a proxy that speaks TLS to the peers.
        case plainBehindProxy

        func makeContext() throws(TunnelServiceError) -> NIOSSLContext? {
            switch self {
            case .tls(let identity): try identity.makeContext()
            case .plain, .plainBehindProxy: nil
            }
        }
    }
}

extension SocketAddress {
    /// True if only this machine can reach the address: 127.0.0.0/8, ::1, or a Unix socket.
    var isLoopback: Bool {
        switch self {
        case .v4, .v6: AddressKey(self).isLoopback
        case .unixDomainSocket: true
        }
    }
}
