internal import HybridProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// One connection to one server, from the name look-up to the server's answer.
///
/// It ends exactly once: with an answer, an error, a timeout or cancellation. Every channel that is open by then, and
/// is not the answer itself, is closed before ``run(_:)`` returns. It can be made before there is a request.
final class ConnectionAttempt: Sendable {
    /// A request for an upgrade.
    struct Request: Sendable {
        let target: WebSocketURL
        let headers: [(name: String, value: String)]
        /// Limits and sizes of the tunnel.
        let configuration: TunnelClient.Configuration
    }

    /// The outcome of an attempt.
    enum Outcome: Sendable {
        case opened(OpenedTunnel)
        case redirected(location: String)
    }

    /// The step that the attempt is waiting for; it decides the code of an error.
    enum Phase: Sendable { case connecting, securing, upgrading }

    private struct State {
        var channels: [any Channel] = []
        var deadline: Scheduled<Void>?
        var isStarted = false
        var isTaken = false
        /// True if one of several connections was chosen.
        var isConnected = false
        var isOver = false
    }

    /// The address of the server; its path is not the request's.
    let server: WebSocketURL
    /// True if TLS comes before the request.
    var isSecured: Bool { trust != nil }
    /// The request, once there is one.
    var request: EventLoopFuture<Request> { requested.futureResult }
    private let configuration: TunnelClient.Configuration
    private let way: ProxySettings.Way
    private let trust: TrustStore?
    private let eventLoop: any EventLoop
    private let requested: EventLoopPromise<Request>
    /// Nil once a request may be sent; otherwise why none ever may. The first value counts, as in the two that follow.
    private let ready: EventLoopPromise<DataChannelError?>
    private let taken: EventLoopPromise<Bool>
    private let answer: EventLoopPromise<Result<Outcome, DataChannelError>>
    private let state = Mutex(State())

    /// Makes an attempt; nothing is connected yet.
    ///
    /// - Parameter trust: the authorities that are trusted; nil for a connection without TLS.
    init(
        to server: WebSocketURL,
        configuration: TunnelClient.Configuration,
        way: ProxySettings.Way,
        trust: TrustStore?,
        eventLoop: any EventLoop
    ) {
        self.server = server
        self.configuration = configuration
        self.way = way
        self.trust = trust
        self.eventLoop = eventLoop
        requested = eventLoop.makePromise()
        ready = eventLoop.makePromise()
        taken = eventLoop.makePromise()
        answer = eventLoop.makePromise()
    }

    /// Connects, unless that has begun, sends the request, and waits for the answer. To be called once.
    ///
    /// - Throws: every code of ``TunnelClient/open(_:)`` but `invalidURL` and `redirectRefused`.
    func run(_ request: Request) async throws(DataChannelError) -> Outcome {
        let result = await withTaskCancellationHandler {
            start()
            requested.succeed(request)
            // The promise never fails: its value is a result.
            return (try? await answer.futureResult.get()) ?? .failure(Self.lost)
        } onCancel: {
            end(.failure(.cancelledTask))
        }
        if case .success(.opened) = result { return try result.get() }
        await closed()
        return try result.get()
    }

    /// Connects, and waits for that and no longer than `limit`; then all is closed.
    ///
    /// - Returns: why there is no connection; nil if there is one, or nobody knows.
    func look(within limit: Duration) async -> DataChannelError? {
        start()
        let deadline = eventLoop.scheduleTask(in: TimeAmount(limit)) { self.ready.succeed(nil) }
        let error = (try? await ready.futureResult.get()) ?? nil
        deadline.cancel()
        abandon()
        return error
    }

    /// Connects before there is a request, and waits until one takes the connection, it ends, or the task is
    /// cancelled, which closes it.
    ///
    /// - Returns: true if a request has taken it.
    func waitForRequest() async -> Bool {
        let isTaken = await withTaskCancellationHandler {
            start()
            return (try? await taken.futureResult.get()) ?? false
        } onCancel: {
            abandon()
        }
        if !isTaken { await closed() }
        return isTaken
    }

    /// Takes the connection for a request.
    ///
    /// - Returns: false if it is taken, or has ended.
    func take() -> Bool {
        let isFree = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken && !state.isOver
        }
        if isFree { taken.succeed(true) }
        return isFree
    }

    /// Ends the attempt, unless it has ended before.
    func end(_ result: Result<Outcome, DataChannelError>) {
        guard finish(result) else { return }
        if case .failure(let error) = result { TunnelLog.failed(error) }
    }

    /// Ends an attempt that no request has taken.
    private func abandon() { _ = finish(.failure(.cancelledTask), unlessTaken: true) }

    /// Closes all connections but one that is the result, and tells the result.
    ///
    /// - Returns: false if the attempt is over, or goes on.
    private func finish(_ result: Result<Outcome, DataChannelError>, unlessTaken: Bool = false) -> Bool {
        let leftovers: [any Channel]? = state.withLock { state in
            guard !state.isOver, !(unlessTaken && state.isTaken) else { return nil }
            state.isOver = true
            state.deadline?.cancel()
            if case .success(.opened) = result { return [] }
            return state.channels
        }
        guard let leftovers else { return false }
        for channel in leftovers { channel.triggerUserOutboundEvent(SocketCommand.drop, promise: nil) }
        if case .failure(let error) = result { ready.succeed(error) }
        ready.succeed(nil)
        taken.succeed(false)
        requested.fail(DataChannelError.cancelledTask)
        answer.succeed(result)
        return true
    }

    private func closed() async {
        for channel in state.withLock({ $0.channels }) { try? await channel.closeFuture.get() }
    }

    /// Takes note that a request may be sent.
    ///
    /// After a longer silence than this limit somebody on the way may have forgotten the connection without a word, and
    /// the request would wait for an answer in vain.
    func becameReady() {
        // A request that takes the connection in this very moment makes another, as where the server ends it.
        limit(to: configuration.waitingTimeout, "no request has taken the connection in time", .connectionLost)
        ready.succeed(nil)
    }

    /// Begins the wait for the answer to the request, with the time limit of its own.
    func beginUpgrade() {
        limit(to: configuration.upgradeTimeout, "the tunnel service did not answer the request in time")
    }

    private func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        if let proxy = way.proxy {
            limit(to: configuration.connectTimeout, "the proxy \(proxy) did not answer in time", .proxyFailed)
        } else {
            limitConnecting()
        }
        // The system's authorities are read meanwhile: a near service is connected to in less time than that takes.
        let context = eventLoop.makeFutureWithTask { [trust] in try trust?.context() }
        let connected = way.proxy.map { proxy in context.flatMap { _ in self.connect(through: proxy) } } ?? connect()
        connected.and(context)
            .flatMapThrowing { try self.addHandlers(to: $0, $1) }
            .whenFailure { self.end(.failure(DataChannelError($0, during: .connecting, at: self.server).by(self.way))) }
    }

    private func connect(through proxy: Proxy) -> EventLoopFuture<any Channel> {
        bootstrap().connect(to: server, through: proxy, within: TimeAmount(configuration.connectTimeout))
            .map { channel in
                self.limitConnecting()
                return channel
            }
    }

    /// Connects to the server itself, and once more if that takes long.
    private func connect() -> EventLoopFuture<any Channel> {
        let connected = eventLoop.makePromise(of: (any Channel).self)
        // The time to look its name up does not count.
        let begun = eventLoop.makePromise(of: Void.self)
        let first = connectOnce { begun.succeed() }
        let second = begun.futureResult.flatMap {
            self.eventLoop.flatScheduleTask(in: TimeAmount(self.configuration.connectionAttemptDelay)) {
                self.isConnecting ? self.connectOnce() : first
            }.futureResult
        }
        for each in [first, second] {
            each.whenSuccess { channel in
                // Before the other one ends: its end is no failure.
                connected.succeed(channel)
                self.choose(channel)
            }
        }
        first.cascadeFailure(to: begun)
        first.cascadeFailure(to: connected)
        return connected.futureResult
    }

    private var isConnecting: Bool { state.withLock { !$0.isConnected && !$0.isOver } }

    /// Closes all connections but one, unless one was chosen before.
    private func choose(_ channel: any Channel) {
        let others: [any Channel] = state.withLock { state in
            guard !state.isConnected else { return [] }
            state.isConnected = true
            return state.channels.filter { $0 !== channel }
        }
        for other in others { other.triggerUserOutboundEvent(SocketCommand.drop, promise: nil) }
    }

    /// Connects to the server. Nothing is read before its handlers are there.
    ///
    /// - Parameter begun: is called at each of its addresses, before the first packet to it.
    private func connectOnce(_ begun: @escaping @Sendable () -> Void = {}) -> EventLoopFuture<any Channel> {
        let bootstrap = bootstrap(begun).channelOption(.autoRead, value: false)
        return server.address.map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: server.host, port: Int(server.port))
    }

    private func bootstrap(_ begun: @escaping @Sendable () -> Void = {}) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(TimeAmount(configuration.connectTimeout))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try self.adopt(channel)
                    channel.shortenRetransmission()
                    try channel.pipeline.syncOperations.addHandler(SocketGuard())
                    begun()
                }
            }
    }

    private func adopt(_ channel: any Channel) throws(DataChannelError) {
        let isWanted = state.withLock { state in
            guard !state.isOver, !state.isConnected else { return false }
            state.channels.append(channel)
            return true
        }
        if !isWanted { throw .cancelledTask }
    }

    private func addHandlers(to channel: any Channel, _ context: NIOSSLContext?) throws {
        guard channel.isActive else { throw DataChannelError.closedBeforeAnswer }
        let pipeline = channel.pipeline.syncOperations
        if let context { try pipeline.addTLS(context, to: server) }
        try pipeline.addHandler(UpgradeHandler(attempt: self, socket: pipeline.handler(type: SocketGuard.self)))
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    private func limitConnecting() {
        limit(to: configuration.connectTimeout, "the tunnel service could not be connected to in time")
    }

    private func limit(to duration: Duration, _ reason: String, _ code: DataChannelError.Code = .timeout) {
        let deadline = eventLoop.scheduleTask(in: TimeAmount(duration)) {
            self.end(.failure(DataChannelError(code, reason: reason)))
        }
        let isOver = state.withLock { state in
            state.deadline?.cancel()
            state.deadline = deadline
            return state.isOver
        }
        if isOver { deadline.cancel() }
    }

    private static let lost = DataChannelError(.connectionLost, reason: "the connection ended")
}
