package import HybridProtocol
internal import NIOCore
internal import NIOPosix

extension TunnelClient {
    /// Looks whether something answers at the address of a tunnel service, by a TCP connection that is closed at once.
    /// Nothing is sent to it; where there is a proxy, that is asked to connect.
    ///
    /// - Parameters:
    ///   - service: the address of the tunnel service.
    ///   - limit: the time after which no answer counts as none that is bad.
    /// - Throws: `unreachable`, for a name without an address or a port at which nothing answers; `invalid-url`;
    ///   `proxy-failed`.
    package func check(_ service: TunnelURL.Service, within limit: Duration) async throws(DataChannelError) {
        let target = try WebSocketURL(parsing: service.base)
        let way = try configuration.proxies.way(to: target)
        let eventLoop = eventLoopGroup.next()
        let answer = eventLoop.makePromise(of: Result<Void, DataChannelError>.self)
        let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(TimeAmount(limit))
        let connected =
            if let proxy = way.proxy {
                bootstrap.connect(to: target, through: proxy, within: TimeAmount(limit))
            } else if let address = target.address {
                bootstrap.connect(to: address)
            } else {
                bootstrap.connect(host: target.host, port: Int(target.port))
            }
        // A look-up of the name cannot be cancelled, so that nobody waits for its end. The first outcome counts.
        let deadline = eventLoop.scheduleTask(in: TimeAmount(limit)) { answer.succeed(.success(())) }
        connected.whenComplete { outcome in
            deadline.cancel()
            switch outcome {
            case .success(let channel):
                channel.close(promise: nil)
                answer.succeed(.success(()))
            case .failure(let cause):
                answer.succeed(.failure(DataChannelError(cause, during: .connecting, at: target).by(way)))
            }
        }
        let outcome = (try? await answer.futureResult.get()) ?? .success(())
        guard case .failure(let error) = outcome, error.code != .timeout else { return }
        throw error
    }
}
