import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TunnelClient

/// The listening socket, and the set-up of every accepted connection.
struct Listener: Sendable {
    /// The state that the connections share.
    let relay: Relay

    /// Connections that the kernel holds for us before they are accepted.
    private static let backlog: CInt = 1_024
    /// The sizes of a read: a request, or a sealed message, fits the initial one, which each connection keeps; a long
    /// message makes it grow.
    private static let receiveSizes = (minimum: 512, initial: 512, maximum: 16_384)
    /// One read a turn: the bytes that a connection brings in at once are bounded by the largest read.
    private static let readsPerTurn: UInt = 1
    /// A connection is writable again when it has this part of the limit left to send.
    private static let lowWaterDivisor = 4
    /// The longest time that Linux takes for `TCP_KEEPIDLE`, in seconds.
    private static let longestKeepAlive = 32_767.0

    /// A connection was one too many even to be refused, or from an address that is not served.
    private struct Dropped: Error {}

    /// Starts to listen.
    func bind(to address: SocketAddress) async throws -> any Channel {
        let relay = relay
        let high = relay.limits.writeBufferBytes
        let keepAlive = Int(max(1, min(relay.limits.keepAliveTime / .seconds(1), Self.longestKeepAlive)))
        let userTimeout = Int(min(relay.limits.userTimeout / .milliseconds(1), Double(CInt.max)))
        let bootstrap = ServerBootstrap(group: relay.eventLoop)
            .serverChannelOption(ChannelOptions.backlog, value: Self.backlog)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { channel.shortenRetransmission() }
            }
            .childChannelOption(ChannelOptions.autoRead, value: false)
            .childChannelOption(ChannelOptions.maxMessagesPerRead, value: Self.readsPerTurn)
            .childChannelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            // Linux gives these to each accepted socket. They find machines that are gone, and cost their peers
            // nothing: some end at a ping.
            .serverChannelOption(ChannelOptions.socketOption(.so_keepalive), value: 1)
            .serverChannelOption(ChannelOptions.tcpOption(.keepIdle), value: keepAlive)
            .serverChannelOption(ChannelOptions.tcpOption(.keepInterval), value: max(1, keepAlive / 2))
            .serverChannelOption(ChannelOptions.tcpOption(.userTimeout), value: userTimeout)
            .childChannelOption(
                ChannelOptions.recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: Self.receiveSizes.minimum,
                    initial: Self.receiveSizes.initial,
                    maximum: Self.receiveSizes.maximum
                )
            )
            .childChannelOption(
                ChannelOptions.writeBufferWaterMark,
                value: .init(low: max(1, high / Self.lowWaterDivisor), high: high)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try Self.setUp(channel, relay: relay) }
            }
        guard let socket = relay.configuration.listeningSocket else {
            return try await bootstrap.bind(to: address).get()
        }
        return try await bootstrap.withBoundSocket(socket).get()
    }

    /// Makes an accepted connection one of the service's.
    static func setUp(_ channel: any Channel, relay: Relay) throws {
        relay.metrics.accepted()
        let isProxied = relay.configuration.isTrustedProxy(channel.remoteAddress)
        let address = isProxied ? nil : AddressKey(channel.remoteAddress)
        let refusal: HTTPRefusal?
        let isWelcome = isProxied || relay.configuration.servesUnknownPeers
        switch isWelcome ? relay.makeRoom(relay.counter.arrive(address)) : .dropped {
        case .served: refusal = nil
        case .refused(let answer): refusal = answer
        case .crowded, .dropped:
            relay.metrics.connectionDropped()
            throw Dropped()
        }
        let connection = ConnectionHandler(relay: relay, address: address)
        let request = RequestHandler(relay: relay, connection: connection, refusal: refusal)
        connection.handler = request
        let pipeline = channel.pipeline.syncOperations
        // First of all: from here on the connection counts itself out when it ends.
        try pipeline.addHandler(connection)
        if let tls = relay.tls.withLockedValue({ $0 }) {
            let records = PortionHandler(
                TLSRecordPortions(connection: connection), turns: relay.connections.value.turns)
            connection.closeSocket = { records.close() }
            try pipeline.addHandlers(
                [records, NIOSSLServerHandler(context: tls), OutboundPortionHandler()], position: .first)
        }
        try pipeline.addHandlers([
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
            HTTPResponseEncoder(),
            request,
        ])
        if isProxied {
            let header = ProxyHeaderHandler(relay: relay, connection: connection, request: request)
            try pipeline.addHandler(header, position: .first)
        }
    }
}

extension NIOBSDSocket.Option {
    /// The seconds of silence before the first probe.
    fileprivate static let keepIdle = Self(rawValue: TCP_KEEPIDLE)
    /// The seconds between probes.
    fileprivate static let keepInterval = Self(rawValue: TCP_KEEPINTVL)
    /// The milliseconds in which a probe, or data, has to be acknowledged.
    fileprivate static let userTimeout = Self(rawValue: TCP_USER_TIMEOUT)
}
