import HybridProtocol
import Logging
import Metrics
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOSSL

/// The state that all connections of a running service share.
final class Relay: Sendable {
    /// The service's configuration.
    let configuration: TunnelService.Configuration
    /// TLS for connections from now on, or `nil` for none.
    let tls: NIOLockedValueBox<NIOSSLContext?>
    /// The tunnels.
    let registry: TunnelRegistry
    /// The number of connections.
    let counter: ConnectionCounter
    /// The contact side; `nil` if this service wakes no authenticators.
    let contacts: ContactBroker?
    /// The bytes held for all of them.
    let budget: BufferBudget
    /// The limits that are a time, as NIO wants them.
    let times: Times
    /// Checks of the WebSocket upgrade.
    let upgrade: UpgradeRequest
    /// The answer to it.
    let webSocket = WebSocketUpgrade()
    /// The counters.
    let metrics: ServiceMetrics
    /// The header by which an authenticator learns the routing ID.
    let routingHeader: HTTPRefusal.Header

    let logger: Logger
    /// The connections, to be used on ``eventLoop``.
    let connections: NIOLoopBoundBox<LoopConnections>
    /// The connection of the contact side with other nodes', to be used on ``eventLoop``; `nil` for a single node.
    let clusterBox: NIOLoopBoundBox<ContactCluster?>
    /// The event loop of all connections.
    let eventLoop: any EventLoop
    private let tick: TimeAmount
    private let pendingLimit: Int

    /// The limits that are a time.
    struct Times: Sendable {
        let request: TimeAmount
        let pending: TimeAmount
        let tunnel: TimeAmount
        let ping: TimeAmount
        let silence: TimeAmount
        let userTimeout: TimeAmount
        let close: TimeAmount
        let message: TimeAmount
        let ceremony: TimeAmount
        let idle: TimeAmount
        let contactHold: TimeAmount
        let listenerPing: TimeAmount
        let listenerSilence: TimeAmount

        init(_ limits: TunnelService.Limits) {
            request = TimeAmount(limits.requestTime)
            pending = TimeAmount(limits.pendingLifetime)
            tunnel = TimeAmount(limits.tunnelLifetime)
            ping = TimeAmount(limits.pingInterval)
            silence = TimeAmount(limits.silence)
            userTimeout = TimeAmount(limits.userTimeout)
            close = TimeAmount(limits.closeTime)
            message = TimeAmount(limits.messageTime)
            ceremony = TimeAmount(limits.ceremonyTime)
            idle = TimeAmount(limits.idleTime)
            contactHold = TimeAmount(limits.contactHold)
            listenerPing = TimeAmount(limits.listenerPingInterval)
            listenerSilence = TimeAmount(limits.listenerSilence)
        }
    }

    private static let longestTick = Duration.seconds(1)
    private static let shortestTick = Duration.milliseconds(10)
    private static let ticksPerShortestTime = 4

    /// The shared state of a service whose connections are all on this event loop.
    init(
        configuration: TunnelService.Configuration,
        tls: NIOSSLContext?,
        eventLoop: any EventLoop,
        logger: Logger,
        metrics: any MetricsFactory
    ) {
        let limits = configuration.limits
        self.configuration = configuration
        self.tls = NIOLockedValueBox(tls)
        self.logger = logger
        self.metrics = ServiceMetrics(metrics)
        let connections = OpenFiles.clamp(connections: limits.connections)
        let knowsAddresses = configuration.knowsAddresses
        // Half of the connections are for others than those that wait.
        pendingLimit = max(1, min(limits.pendingTunnels, connections / 2))
        registry = TunnelRegistry(
            pendingLimitPerAddress: knowsAddresses ? limits.pendingTunnelsPerAddress : limits.pendingTunnels)
        counter = ConnectionCounter(
            limit: connections,
            limitPerAddress: knowsAddresses ? limits.connectionsPerAddress : connections,
            limitPerPrefix: knowsAddresses ? limits.connectionsPerPrefix : connections,
            rate: knowsAddresses ? limits.connectionRate : nil,
            prefixRate: knowsAddresses ? limits.connectionRatePerPrefix : nil
        )
        contacts = configuration.contactTokens.map {
            ContactBroker(
                issuer: $0, limits: limits, knowsAddresses: knowsAddresses, isNode: configuration.bus != nil)
        }
        budget = BufferBudget(limit: limits.bufferedBytes, hasShares: knowsAddresses)
        times = Times(limits)
        upgrade = UpgradeRequest(
            hostNames: Set(configuration.hostNames.map(UpgradeRequest.lowercased)),
            secure: tls != nil
        )
        routingHeader = HTTPRefusal.Header(name: TunnelHeader.routingID, value: configuration.routingID.hex)
        tick = TimeAmount(
            max(Self.shortestTick, min(Self.longestTick, limits.shortestTime / Self.ticksPerShortestTime))
        )
        self.connections = NIOLoopBoundBox.makeBoxSendingValue(
            LoopConnections(limit: connections), eventLoop: eventLoop)
        clusterBox = NIOLoopBoundBox.makeBoxSendingValue(nil, eventLoop: eventLoop)
        self.eventLoop = eventLoop
    }

    /// The connection of the contact side with other nodes'.
    var cluster: ContactCluster? { clusterBox.value }

    /// Looks at every connection's deadlines from now on, until the task is cancelled.
    func startTicking() -> RepeatedTask {
        eventLoop.scheduleRepeatedTask(initialDelay: tick, delay: tick) { [self] _ in
            let now = NIODeadline.now()
            connections.value.forEach { $0.tick(now) }
            connections.value.order.arrange()
            observe()
        }
    }

    /// The limits.
    var limits: TunnelService.Limits { configuration.limits }

    /// Makes room for a connection that has no place yet, if it needs some.
    ///
    /// - Returns: the admission afterwards; never `crowded`.
    func makeRoom(_ admission: ConnectionCounter.Admission) -> ConnectionCounter.Admission {
        guard case .crowded(let shortages) = admission else { return admission }
        for shortage in shortages {
            guard makeRoom(in: shortage.scope) else { return .refused(.full) }
            if shortage.isUrgent, let place = connections.value.order.removeFirstClosing(in: shortage.scope) {
                end(place) { $0.closeAtOnce() }
            }
        }
        return .served
    }

    /// Has the connection close that goes first, if there is no place left.
    ///
    /// - Returns: false if there is none.
    private func makeRoom(in scope: EvictionOrder.Scope) -> Bool {
        let order = connections.value.order
        guard order.isFull(scope) else { return true }
        guard let place = order.removeFirst(in: scope) else { return false }
        end(place) { $0.evict() }
        place.standing = .closing
        order.insert(place)
        return true
    }

    /// Ends the connection of a place in a turn of its own, since others need it.
    private func end(_ place: Place, _ body: @escaping (ConnectionHandler) -> Void) {
        metrics.evicted(place.standing)
        guard let connection = place.connection else { return }
        eventLoop.assumeIsolated().execute { body(connection) }
    }

    /// Takes a tunnel ID for an end that waits. If too many wait, another one is ended.
    ///
    /// - Throws: the errors of the registry.
    func openTunnel(
        _ id: TunnelID, opener: TunnelEnd, on connection: ConnectionHandler
    ) throws(HTTPRefusal) -> TunnelReservation {
        let reservation = try registry.open(id, opener: opener, from: connection.address)
        _ = makeRoom(in: .waitingTunnels(limit: pendingLimit))
        connection.standing = .waiting
        return reservation
    }

    /// Does something with every connection, soon.
    func forEachConnection(_ body: @escaping @Sendable (ConnectionHandler) -> Void) {
        eventLoop.execute { [connections] in connections.value.forEach(body) }
    }
}

extension Relay {
    /// The reason for which no new connections should be sent here, in one line; `nil` if they are welcome.
    var unreadiness: String? {
        if cluster?.isImpostor == true { return "another process has this node's routing ID" }
        guard registry.isDraining else { return nil }
        return "draining: \(registry.pairedCount) tunnels continue, \(registry.pendingCount) may still be joined"
    }

    /// The limitation under which new connections are still welcome, in one line; `nil` if everything works.
    var limitation: String? {
        guard let cluster, !cluster.isConnected else { return nil }
        return "other nodes cannot be reached: authenticators that wait there cannot be woken from here"
    }

    /// Logs that other nodes can be reached, or not.
    func clusterChanged(isConnected: Bool) {
        if isConnected {
            logger.notice("other nodes can be reached")
        } else {
            logger.warning("other nodes cannot be reached")
        }
    }

    /// Sets the gauges.
    func observe() { metrics.observe(self) }

    /// Counts and logs a refused request.
    func refused(_ refusal: HTTPRefusal) {
        metrics.refused(refusal)
        logger.debug(
            "request refused",
            metadata: ["status": "\(refusal.status.code)", "reason": "\(refusal.text)"]
        )
    }

    /// Counts and logs a registration: to be woken, or for contact IDs alone.
    func registered(listens: Bool) {
        metrics.registered()
        logger.debug("authenticator registered", metadata: ["listens": "\(listens)"])
    }

    /// Counts and logs a tunnel that the first end opened.
    func tunnelOpened(_ reservation: TunnelReservation) {
        metrics.tunnelOpened()
        logger.debug("tunnel opened", metadata: ["tunnel": "\(reservation.number)"])
    }

    /// Counts and logs a client's tunnel of which its authenticator knows after this time.
    func contactOpened(_ reservation: TunnelReservation, after time: TimeAmount) {
        metrics.woken(after: time)
        tunnelOpened(reservation)
    }

    /// Counts and logs that the second end joined.
    func tunnelPaired(_ pairing: TunnelRegistry.Pairing) {
        metrics.tunnelPaired()
        logger.debug("tunnel paired", metadata: ["tunnel": "\(pairing.number)"])
    }

    /// Frees a tunnel's ID, and counts and logs its end.
    ///
    /// - Returns: true if the second end had come.
    func tunnelEnded(_ reservation: TunnelReservation, _ reason: EndReason) -> Bool {
        let wasPaired = registry.close(reservation)
        metrics.ended(reason)
        logger.debug("tunnel ended", metadata: ["tunnel": "\(reservation.number)", "reason": "\(reason.rawValue)"])
        return wasPaired
    }

    /// Logs that the service has stopped.
    func stopped() { logger.info("tunnel service has stopped") }
}

/// The connections of a service. They are looked at in turn at every tick, so that no connection needs a timer of its
/// own.
final class LoopConnections {
    /// The turns of those that have brought in more than a portion.
    let turns = PortionTurns()
    /// The turns of those of which all is dropped: 2,000 reads a second at most, 32 MB.
    let drops = PortionTurns(after: .milliseconds(2))
    /// The order in which they go when there are too many.
    let order: EvictionOrder

    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]

    /// None yet, of at most so many.
    init(limit: Int) { order = EvictionOrder(limit: limit) }

    /// Adds a connection.
    func insert(_ connection: ConnectionHandler) { connections[ObjectIdentifier(connection)] = connection }

    /// Removes a connection.
    func remove(_ connection: ConnectionHandler) { connections[ObjectIdentifier(connection)] = nil }

    /// Does something with every connection there is now.
    func forEach(_ body: (ConnectionHandler) -> Void) {
        // A copy: `body` may close connections, which removes them.
        for connection in Array(connections.values) { body(connection) }
    }
}
