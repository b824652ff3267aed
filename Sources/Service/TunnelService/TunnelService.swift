internal import Glibc
import HybridProtocol
public import Logging
public import Metrics
public import NIOCore
public import NIOPosix
public import ServiceLifecycle

/// The server between an authenticator and a client: it lets two WebSockets find each other by their tunnel ID and
/// passes whole messages between them (HT-TUN-47; the article TunnelServiceProtocol of HybridProtocol).
///
///     let service = TunnelService(configuration: .init(security: .plain))
///     let running = try await service.start()
///     // ws://127.0.0.1:<running.port>/cable/new/…
///     await running.shutdown()
///
/// It sees ciphertext, sizes, times and addresses. It logs none of the tunnel IDs, routing IDs and addresses, at any
/// level, and no message contents.
public struct TunnelService: Sendable {
    /// The address, security, names and limits.
    public let configuration: Configuration

    private let eventLoopGroup: any EventLoopGroup
    private let logger: Logger
    private let metrics: any MetricsFactory

    /// Makes a service that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: the address, security, names and limits.
    ///   - eventLoopGroup: the event loops of which the next one carries all connections: a message then goes from one
    ///     end of its tunnel to the other without a change of threads. They must be NIOPosix's.
    ///   - logger: at `info`, one line at the start and one at the end; at `debug`, one for each refusal and each
    ///     tunnel that opens, pairs and closes.
    ///   - metrics: the home of the counters; by default, the metrics system that the process has set up.
    public init(
        configuration: Configuration,
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "tunnel-service"),
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
        self.metrics = metrics
    }

    /// Starts to listen.
    ///
    /// - Returns: the running service, which knows its port and can be shut down.
    /// - Throws: ``TunnelServiceError`` with the codes `port-in-use`, `port-not-permitted`, `cannot-listen`,
    ///   `cannot-listen-for-admin`, `invalid-certificate`, `exposed-key`,
    ///   `plain-not-allowed`, `exposed-admin`, `routing-id-taken`, `no-host-name`, `no-contact-secret` or
    ///   `invalid-limits`.
    public func start() async throws(TunnelServiceError) -> RunningTunnelService {
        try configuration.check()
        let address = try configuration.listeningAddress()
        let prometheus = configuration.admin.map { _ in
            PrometheusMetrics(help: ServiceMetrics.help.merging(ProcessMetrics.help) { $1 })
        }
        if let prometheus { ProcessMetrics.add(to: prometheus, version: configuration.version) }
        let relay = Relay(
            configuration: configuration,
            tls: try configuration.security.makeContext(logger),
            eventLoop: eventLoopGroup.next(),
            logger: logger,
            metrics: prometheus.map { factory(beside: $0) } ?? metrics
        )
        if let bus = configuration.bus, let contacts = relay.contacts { try await join(bus, relay, contacts) }
        let listener: any Channel
        do {
            listener = try await Listener(relay: relay).bind(to: address)
        } catch {
            await leave(relay)
            throw failure(error)
        }
        var admin: (any Channel)?
        if let address = configuration.admin, let prometheus {
            do {
                admin = try await AdminServer(relay: relay, metrics: prometheus).bind(to: address)
            } catch {
                try? await listener.close().get()
                await leave(relay)
                throw Self.adminFailure(error)
            }
        }
        logger.info(
            "tunnel service is listening",
            metadata: ["port": "\(listener.localAddress?.port ?? 0)", "tls": "\(configuration.security.isTLS)"]
        )
        return RunningTunnelService(
            listener: listener, admin: admin, relay: relay, ticking: relay.startTicking())
    }
}

extension TunnelService {
    /// The home of the counters, if they are kept for Prometheus too.
    private func factory(beside prometheus: PrometheusMetrics) -> any MetricsFactory {
        metrics is NOOPMetricsHandler ? prometheus : MultiplexMetricsHandler(factories: [prometheus, metrics])
    }

    /// Joins the other nodes of the service.
    private func join(
        _ bus: any ClusterBus, _ relay: Relay, _ contacts: ContactBroker
    ) async throws(TunnelServiceError) {
        let isAlone = relay.eventLoop.flatSubmit {
            let cluster = ContactCluster(bus: bus, relay: relay, broker: contacts)
            relay.clusterBox.value = cluster
            return cluster.start()
        }
        guard (try? await isAlone.get()) == true else {
            await leave(relay)
            throw TunnelServiceError(
                .routingIDTaken, reason: "another node has the routing ID \(configuration.routingID.hex)")
        }
    }

    private func leave(_ relay: Relay) async {
        try? await relay.eventLoop.submit {
            relay.cluster?.stop()
            relay.clusterBox.value = nil
        }.get()
    }

    private func failure(_ error: any Error) -> TunnelServiceError {
        let number = (error as? IOError)?.errnoCode
        return TunnelServiceError(
            number == EACCES ? .portNotPermitted : number == EADDRINUSE ? .portInUse : .cannotListen,
            reason: "\(configuration.host), port \(configuration.port), cannot be listened on: \(Self.cause(error))")
    }

    private static func adminFailure(_ error: any Error) -> TunnelServiceError {
        let cause =
            switch error {
            case SocketAddressError.unixDomainSocketPathTooLong: "the socket's path is too long"
            case is UnixDomainSocketPathWrongType: "a file that is not a socket is there"
            default: Self.cause(error)
            }
        return TunnelServiceError(
            .cannotListenForAdmin, reason: "the admin address cannot be listened on: \(cause)")
    }

    private static func cause(_ error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }
}

extension TunnelService: Service {
    /// Runs until the surrounding service group is shut down, or the task is cancelled.
    ///
    /// A graceful shutdown lets the tunnels that have both ends go on for the configured drain time; a cancelled task
    /// ends them at once. Returns when every connection is gone.
    ///
    /// - Throws: the errors of ``start()``.
    public func run() async throws(TunnelServiceError) {
        let running = try await start()
        do {
            try await gracefulShutdown()
            await running.shutdown(drain: configuration.drainTime)
        } catch {
            await running.shutdown(drain: .zero)
        }
    }
}
