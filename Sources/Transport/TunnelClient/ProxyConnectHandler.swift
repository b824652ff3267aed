internal import HybridProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

extension ClientBootstrap {
    /// Connects to a server through a proxy. The channel is as one to the server: TLS can begin.
    ///
    /// - Parameters:
    ///   - server: the server that the proxy connects to.
    ///   - proxy: the proxy.
    ///   - limit: the time limit of the proxy's answer.
    /// - Returns: the channel; otherwise fails with a `DataChannelError` `proxyFailed`, and leaves no connection.
    func connect(
        to server: WebSocketURL, through proxy: Proxy, within limit: TimeAmount
    ) -> EventLoopFuture<any Channel> {
        connect(host: proxy.host, port: Int(proxy.port))
            .flatMapErrorThrowing { throw DataChannelError($0, connectingTo: proxy) }
            .flatMap { channel in
                let opened = channel.eventLoop.makePromise(of: Void.self)
                let limit = channel.eventLoop.scheduleTask(in: limit) {
                    opened.fail(DataChannelError(.proxyFailed, reason: "the proxy \(proxy) did not answer in time"))
                }
                do {
                    try channel.pipeline.syncOperations.addHandler(
                        ProxyConnectHandler(server, through: proxy, opened))
                } catch {
                    opened.fail(error)
                }
                let answer = opened.futureResult
                answer.whenComplete { _ in limit.cancel() }
                answer.whenFailure { _ in channel.close(promise: nil) }
                return answer.map { channel }
            }
    }
}

/// Asks a proxy to connect to a server, and leaves the pipeline when it has.
///
/// Source: RFC 9110 section 9.3.6.
final class ProxyConnectHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let server: WebSocketURL
    private let proxy: Proxy
    private let opened: EventLoopPromise<Void>
    private let encoder = HTTPRequestEncoder()
    private let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
    private var isAccepted = false
    private var answerIsOver = false

    init(_ server: WebSocketURL, through proxy: Proxy, _ opened: EventLoopPromise<Void>) {
        self.server = server
        self.proxy = proxy
        self.opened = opened
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            try context.pipeline.syncOperations.addHandlers([encoder, decoder], position: .before(self))
        } catch {
            return opened.fail(error)
        }
        // RFC 9112 section 3.2.3: the port is always there.
        let name = server.host.contains(":") ? "[\(server.host)]" : server.host
        let authority = "\(name):\(server.port)"
        var headers: HTTPHeaders = ["Host": authority]
        if let credentials = proxy.credentials { headers.add(name: "Proxy-Authorization", value: credentials.header) }
        let head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: authority, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A server that speaks TLS says nothing first.
        guard !answerIsOver else { return fail("sent unexpected data after its answer") }
        switch unwrapInboundIn(data) {
        case .head(let head):
            isAccepted = (200..<300).contains(head.status.code)
            if !isAccepted { refuse(head) }
        case .body: if isAccepted { fail("sent an unexpected page with its answer") }
        case .end: if isAccepted { leave(context: context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as IOError: fail("broke the connection: \(DataChannelError.description(of: error))")
        case is HTTPParserError: fail("did not answer like a proxy")
        default: fail("sent too much")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail("closed the connection instead of answering")
        context.fireChannelInactive()
    }

    /// Takes HTTP out of the pipeline. Its decoder leaves only after it has been returned to, and then hands on the
    /// bytes behind the answer.
    private func leave(context: ChannelHandlerContext) {
        answerIsOver = true
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(decoder).assumeIsolated().whenComplete { _ in
            pipeline.removeHandler(self).assumeIsolated().whenComplete { _ in self.opened.succeed() }
        }
    }

    private func refuse(_ head: HTTPResponseHead) {
        let status = head.status
        // A name and a password cannot help then, whether or not some are given.
        let schemes = status == .proxyAuthenticationRequired ? ProxyChallenge.unsupportedSchemes(in: head.headers) : nil
        let reason =
            schemes.map { "demands an authentication scheme that is not supported: \($0) (\(status.code))" }
            ?? meaning(of: status)
        fail(reason, status: Int(status.code), hasUnsupportedProxyScheme: schemes != nil)
    }

    private func fail(_ reason: String, status: Int? = nil, hasUnsupportedProxyScheme: Bool = false) {
        opened.fail(
            DataChannelError(
                .proxyFailed, reason: "the proxy \(proxy) \(reason)", httpStatus: status,
                hasUnsupportedProxyScheme: hasUnsupportedProxyScheme))
    }

    private func meaning(of status: HTTPResponseStatus) -> String {
        let code = status.code
        return switch code {
        // Tinyproxy has the status of servers for a wrong password.
        case HTTPResponseStatus.proxyAuthenticationRequired.code, HTTPResponseStatus.unauthorized.code:
            proxy.credentials == nil
                ? "asks for a name and a password (\(code))" : "refuses the name and the password (\(code))"
        case HTTPResponseStatus.forbidden.code, HTTPResponseStatus.methodNotAllowed.code:
            "does not allow connections to \(server.authority) (\(code))"
        case 500..<600: "could not connect to \(server.authority) (\(code))"
        default: "answered \(code), and may be no proxy"
        }
    }
}

extension DataChannelError {
    /// The error for a proxy that was not reached.
    fileprivate init(_ cause: any Error, connectingTo proxy: Proxy) {
        let reason =
            switch cause {
            case let error as NIOConnectionError where error.connectionErrors.isEmpty:
                "has a name that could not be resolved"
            case let error as NIOConnectionError:
                switch error.connectionErrors.first?.error {
                case ChannelError.connectTimeout?: "could not be connected to in time"
                case let error as IOError: "could not be connected to: \(Self.description(of: error))"
                default: "could not be connected to"
                }
            default: "could not be connected to"
            }
        self.init(.proxyFailed, reason: "the proxy \(proxy) \(reason)")
    }
}
