internal import HybridProtocol
internal import HybridTransport
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NIOTLS
internal import NIOWebSocket
internal import WebSocketFraming

/// Sends the upgrade request once the connection is ready, judges the answer, and makes place for the WebSocket.
///
/// Source: RFC 6455 section 4.1.
final class UpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let attempt: ConnectionAttempt
    private let socket: SocketGuard
    private let key = NIOWebSocketClientUpgrader.randomRequestKey()
    private var phase = ConnectionAttempt.Phase.connecting
    private var accepted: UpgradeAnswer.Acceptance?
    private var answerIsOver = false
    /// The bytes behind the answer, of one turn of the event loop at most.
    private var early: [NIOAny] = []
    private let encoder = HTTPRequestEncoder()
    private let decoder: ByteToMessageHandler<HTTPResponseDecoder>

    init(attempt: ConnectionAttempt, socket: SocketGuard) {
        self.attempt = attempt
        self.socket = socket
        self.decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        phase = .securing
        if !attempt.target.isSecure { sendRequest(context: context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, phase == .securing { sendRequest(context: context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !answerIsOver else { return early.append(data) }
        switch unwrapInboundIn(data) {
        case .head(let head): judge(head)
        case .body: break
        case .end:
            if accepted != nil { leaveHTTP(context: context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        attempt.end(.failure(DataChannelError(error, during: phase, at: attempt.target)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        attempt.end(.failure(.closedBeforeAnswer))
        context.fireChannelInactive()
    }

    private func sendRequest(context: ChannelHandlerContext) {
        phase = .upgrading
        attempt.beginUpgrade()
        do {
            try context.pipeline.syncOperations.addHandlers([encoder, decoder], position: .before(self))
        } catch {
            return errorCaught(context: context, error: error)
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: attempt.target.target, headers: requestHeaders())
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func requestHeaders() -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Host": attempt.target.authority,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Protocol": TunnelWebSocket.subprotocol,
        ]
        if attempt.configuration.sendsOrigin { headers.add(name: "Origin", value: attempt.target.origin) }
        for (name, value) in attempt.headers { headers.add(name: name, value: value) }
        return headers
    }

    private func judge(_ head: HTTPResponseHead) {
        guard accepted == nil else { return }
        do throws(DataChannelError) {
            switch try UpgradeAnswer(judging: head, key: key) {
            case .accepted(let acceptance): accepted = acceptance
            case .redirected(let location): attempt.end(.success(.redirected(location: location)))
            }
        } catch {
            attempt.end(.failure(error))
        }
    }

    /// Takes HTTP out of the pipeline. Its decoder leaves only after it has been returned to, and hands on then what
    /// came behind the answer; until it has left, nothing else may be written.
    private func leaveHTTP(context: ChannelHandlerContext) {
        answerIsOver = true
        socket.preludeEnded()
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(decoder).assumeIsolated().whenComplete { _ in self.becomeWebSocket(context: context) }
    }

    /// Makes place for the WebSocket's handlers, and hands them the bytes behind the answer.
    private func becomeWebSocket(context: ChannelHandlerContext) {
        let limit = attempt.configuration.messageLimit
        let inbox = Inbox()
        do {
            try context.pipeline.syncOperations.addHandlers([
                FrameEncoder(),
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limit)),
                MessageHandler(inbox: inbox, socket: socket, configuration: attempt.configuration),
            ])
        } catch {
            return errorCaught(context: context, error: error)
        }
        let tunnel = OpenedTunnel(
            channel: WebSocketChannel(channel: context.channel, inbox: inbox, messageLimit: limit),
            routingIDHeader: accepted?.routingID,
            signalsConnection: accepted?.signalsConnection == true
        )
        attempt.end(.success(.opened(tunnel)))
        for data in early { context.fireChannelRead(data) }
        early = []
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
