public import HybridProtocol
import Logging
import NIOCore
import NIOSSL

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
        /// Names that an `Origin` may carry beside the one in the `Host` header, and the only ones under which
        /// authenticators can register: otherwise another service could pass on a registration that was meant for it,
        /// and become the listener.
        public var hostNames: [String]
        /// Issues contact IDs; `nil` for a service that wakes no authenticators. It must be made from the same secret
        /// at every start: another one makes every client forget its links. It needs ``hostNames``.
        public var contactTokens: ContactTokenIssuer?
        /// Addresses of proxies that begin each connection with a header of the PROXY protocol, version 2, which names
        /// the peer's address. None by default.
        ///
        /// A connection from one of them without a sound header is closed. Other addresses connect without a header;
        /// with ``Security/plainBehindProxy`` they cannot connect at all.
        public var trustedProxies: [AddressRange]
        /// The address of the metrics, and of the answers whether the service is alive and ready; none by default.
        public var admin: AdminAddress?
        /// A socket that listens, as systemd passes one, in the place of ``host`` and ``port``. The service closes it.
        public var listeningSocket: CInt?
        /// The version that the metrics tell; that of the program.
        package var version = "unknown"
        /// The way to the other nodes of the service; `nil` for a single node.
        package var bus: (any ClusterBus)?
        /// The times of the messages between nodes.
        package var clusterTimes = ClusterTimes()
        /// The limits for peers.
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
            trustedProxies: [AddressRange] = [],
            admin: AdminAddress? = nil,
            listeningSocket: CInt? = nil,
            limits: Limits = Limits(),
            drainTime: Duration = .seconds(30)
        ) {
            self.host = host
            self.port = port
            self.security = security
            self.routingID = routingID
            self.hostNames = hostNames
            self.contactTokens = contactTokens
            self.trustedProxies = trustedProxies
            self.admin = admin
            self.listeningSocket = listeningSocket
            self.limits = limits
            self.drainTime = drainTime
        }

        /// The address to listen on.
        ///
        /// - Throws: ``TunnelServiceError`` with the code `cannot-listen` if the name does not resolve, or
        ///   `plain-not-allowed` if it stands for other addresses than loopback and the service would speak plainly.
        func listeningAddress() throws(TunnelServiceError) -> SocketAddress {
            let address = try namedAddress()
            guard security.isTLS || address.isLoopback || security.isBehindProxy && !trustedProxies.isEmpty else {
                throw TunnelServiceError(
                    .plainNotAllowed,
                    reason: "without TLS the service listens on loopback only, unless trusted proxies, which "
                        + "terminate TLS, are given"
                )
            }
            return address
        }

        private func namedAddress() throws(TunnelServiceError) -> SocketAddress {
            if let listeningSocket {
                guard let address = SocketAddress(ofSocket: listeningSocket) else {
                    throw TunnelServiceError(.cannotListen, reason: "the socket is neither of IPv4 nor of IPv6")
                }
                return address
            }
            guard let address = try? SocketAddress.makeAddressResolvingHost(host, port: port),
                (0...Int(UInt16.max)).contains(port)
            else {
                throw TunnelServiceError(.cannotListen, reason: "\(host) with port \(port) is not an address")
            }
            return address
        }

        /// Checks the settings that do not depend on this machine.
        ///
        /// - Throws: ``TunnelServiceError`` with the code `invalid-limits`, `exposed-admin`, `no-contact-secret` for
        ///   nodes without a contact side, or `no-host-name` for a contact side without a name of the service.
        func check() throws(TunnelServiceError) {
            try limits.check()
            if case .tcp(let host, let port, isExposed: false) = admin,
                (try? SocketAddress.makeAddressResolvingHost(host, port: port))?.isLoopback != true
            {
                throw TunnelServiceError(
                    .exposedAdmin, reason: "the admin address must be on loopback, unless exposing it is allowed")
            }
            guard bus == nil || contactTokens != nil else {
                throw TunnelServiceError(
                    .noContactSecret, reason: "nodes of one service know each other by its contact secret")
            }
            guard contactTokens == nil || hostNames.contains(where: { !$0.isEmpty }) else {
                throw TunnelServiceError(
                    .noHostName, reason: "a service that wakes authenticators must know its own names")
            }
        }

        /// False if every connection comes from a proxy that does not say whose it is.
        var knowsAddresses: Bool { !security.isBehindProxy || !trustedProxies.isEmpty }

        /// True if peers connect to the service themselves, or through a proxy that does not say who they are.
        var servesUnknownPeers: Bool { !security.isBehindProxy || trustedProxies.isEmpty }

        /// True if a connection from this address must begin with a proxy's header.
        func isTrustedProxy(_ address: SocketAddress?) -> Bool {
            guard !trustedProxies.isEmpty, let address = IPAddress(address) else { return false }
            return trustedProxies.contains { $0.contains(address) }
        }
    }

    /// The security of the connections.
    public enum Security: Sendable {
        /// TLS 1.3, and 1.2 with suites that are authenticated and have forward secrecy.
        case tls(TLSIdentity)
        /// No TLS, on loopback addresses only.
        case plain
        /// No TLS, for a service behind a proxy that speaks TLS to the peers.
        ///
        /// With ``Configuration/trustedProxies`` on any address, and for these proxies alone. Without, on loopback
        /// only, and nothing is counted for an address: all peers would have the proxy's, and one of them could use up
        /// the limits of all. Then it is the proxy that has to limit them.
        case plainBehindProxy

        /// True if the service speaks TLS itself.
        var isTLS: Bool { if case .tls = self { true } else { false } }

        /// True if peers come through a proxy.
        var isBehindProxy: Bool { if case .plainBehindProxy = self { true } else { false } }

        func makeContext(_ logger: Logger) throws(TunnelServiceError) -> NIOSSLContext? {
            switch self {
            case .tls(let identity): try identity.makeContext(logger)
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
