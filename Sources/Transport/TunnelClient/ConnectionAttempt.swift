internal import HybridProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// One connection to one server, from the name look-up to the server's answer.
///
/// It ends exactly once: with an answer, an error, a timeout or cancellation. Every channel that is open by then, and
/// is not the answer itself, is closed before ``run()`` returns.
final class ConnectionAttempt: Sendable {
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
        var isOver = false
    }

    let target: WebSocketURL
    let headers: [(name: String, value: String)]
    let configuration: TunnelClient.Configuration
    private let way: ProxySettings.Way
    private let tlsContext: NIOSSLContext?
    private let eventLoop: any EventLoop
    private let answer: EventLoopPromise<Result<Outcome, DataChannelError>>
    private let state = Mutex(State())

    init(
        target: WebSocketURL,
        headers: [(name: String, value: String)],
        configuration: TunnelClient.Configuration,
        way: ProxySettings.Way,
        tlsContext: NIOSSLContext?,
        eventLoop: any EventLoop
    ) {
        self.target = target
        self.headers = headers
        self.configuration = configuration
        self.way = way
        self.tlsContext = tlsContext
        self.eventLoop = eventLoop
        self.answer = eventLoop.makePromise()
    }

    /// Connects, and waits for the answer. To be called once.
    ///
    /// - Throws: every code of ``TunnelClient/open(_:)`` but `invalidURL` and `redirectRefused`.
    func run() async throws(DataChannelError) -> Outcome {
        let result = await withTaskCancellationHandler {
            start()
            // The promise never fails: its value is a result.
            return (try? await answer.futureResult.get()) ?? .failure(Self.lost)
        } onCancel: {
            end(.failure(.cancelledTask))
        }
        if case .success(.opened) = result { return try result.get() }
        for channel in state.withLock({ $0.channels }) { try? await channel.closeFuture.get() }
        return try result.get()
    }

    /// Ends the attempt, unless it has ended before.
    func end(_ result: Result<Outcome, DataChannelError>) {
        let leftovers: [any Channel]? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.deadline?.cancel()
            if case .success(.opened) = result { return [] }
            return state.channels
        }
        guard let leftovers else { return }
        if case .failure(let error) = result { TunnelLog.failed(error) }
        for channel in leftovers { channel.triggerUserOutboundEvent(SocketCommand.drop, promise: nil) }
        answer.succeed(result)
    }

    /// Begins the wait for the answer to the request, with the time limit of its own.
    func beginUpgrade() {
        limit(to: configuration.upgradeTimeout, "the tunnel service did not answer the request in time")
    }

    private func start() {
        if let proxy = way.proxy {
            limit(to: configuration.connectTimeout, "the proxy \(proxy) did not answer in time", .proxyFailed)
        } else {
            limitConnecting()
        }
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(TimeAmount(configuration.connectTimeout))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try self.adopt(channel)
                    try channel.pipeline.syncOperations.addHandler(SocketGuard())
                }
            }
        let connected =
            if let proxy = way.proxy {
                bootstrap.connect(
                    to: target, through: proxy, within: TimeAmount(configuration.connectTimeout)
                ).map { channel in
                    self.limitConnecting()
                    return channel
                }
            } else if let address = target.address {
                bootstrap.connect(to: address)
            } else {
                bootstrap.connect(host: target.host, port: Int(target.port))
            }
        connected
            .flatMapThrowing { try self.addHandlers(to: $0) }
            .whenFailure { self.end(.failure(DataChannelError($0, during: .connecting, at: self.target).by(self.way))) }
    }

    private func adopt(_ channel: any Channel) throws(DataChannelError) {
        let isOver = state.withLock { state in
            if !state.isOver { state.channels.append(channel) }
            return state.isOver
        }
        if isOver { throw .cancelledTask }
    }

    private func addHandlers(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tlsContext { try pipeline.addTLS(tlsContext, to: target) }
        try pipeline.addHandler(UpgradeHandler(attempt: self, socket: pipeline.handler(type: SocketGuard.self)))
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
