internal import HybridProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NIOTLS
internal import NIOWebSocket

/// Sends the upgrade request once the connection is ready and there is one, judges the answer, and makes place for the
/// WebSocket.
///
/// Source: RFC 6455 section 4.1.
final class UpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let attempt: ConnectionAttempt
    private let socket: SocketGuard
    private let key = NIOWebSocketClientUpgrader.randomRequestKey()
    private var phase = ConnectionAttempt.Phase.connecting
    /// The request that was sent.
    private var request: ConnectionAttempt.Request?
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
        if !attempt.isSecured { waitForRequest(context: context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, phase == .securing {
            waitForRequest(context: context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !answerIsOver else { return early.append(data) }
        // Before the request no answer is read: these are bytes.
        guard request != nil else { return attempt.end(.failure(Self.unasked)) }
        switch unwrapInboundIn(data) {
        case .head(let head): judge(head)
        case .body: break
        case .end:
            if accepted != nil { leaveHTTP(context: context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        attempt.end(.failure(DataChannelError(error, during: phase, at: attempt.server)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        attempt.end(.failure(.closedBeforeAnswer))
        context.fireChannelInactive()
    }

    private static let unasked = DataChannelError(
        .connectionLost, reason: "the tunnel service said something before it was asked")

    private func waitForRequest(context: ChannelHandlerContext) {
        phase = .upgrading
        attempt.becameReady()
        attempt.request.assumeIsolated().whenSuccess { request in
            guard context.channel.isActive else { return }
            self.send(request, context: context)
        }
    }

    private func send(_ request: ConnectionAttempt.Request, context: ChannelHandlerContext) {
        self.request = request
        attempt.beginUpgrade()
        do {
            try context.pipeline.syncOperations.addHandlers([encoder, decoder], position: .before(self))
        } catch {
            return errorCaught(context: context, error: error)
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: request.target.target, headers: Self.headers(of: request, key))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private static func headers(of request: ConnectionAttempt.Request, _ key: String) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Host": request.target.authority,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Protocol": TunnelWebSocket.subprotocol,
        ]
        if request.configuration.sendsOrigin { headers.add(name: "Origin", value: request.target.origin) }
        for (name, value) in request.headers { headers.add(name: name, value: value) }
        return headers
    }

    private func judge(_ head: HTTPResponseHead) {
        guard accepted == nil, let request else { return }
        do throws(DataChannelError) {
            switch try UpgradeAnswer(judging: head, key: key, to: request.target.target) {
            case .accepted(let acceptance): accepted = acceptance
            case .redirected(let location): attempt.end(.success(.redirected(location: location)))
            }
        } catch {
            attempt.end(.failure(error))
        }
    }

    /// Takes HTTP out of the pipeline. Its decoder leaves only after it has been returned to, and then hands on the
    /// bytes behind the answer; until it has left, nothing else may be written.
    private func leaveHTTP(context: ChannelHandlerContext) {
        answerIsOver = true
        socket.preludeEnded()
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(decoder).assumeIsolated().whenComplete { _ in self.becomeWebSocket(context: context) }
    }

    /// Makes place for the WebSocket's handlers, and hands them the bytes behind the answer.
    private func becomeWebSocket(context: ChannelHandlerContext) {
        guard let configuration = request?.configuration else { return }
        let limit = configuration.messageLimit
        let inbox = Inbox()
        do {
            try context.pipeline.syncOperations.addHandlers([
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limit)),
                MessageHandler(inbox: inbox, socket: socket, configuration: configuration),
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

/// The outcome of a server's answer to the upgrade request.
///
/// Source: RFC 6455 section 4.1; HT-TUN-32, HT-TUN-33, HT-TUN-34, HT-TUN-36.
enum UpgradeAnswer: Equatable {
    /// The connection is a WebSocket now.
    case accepted(Acceptance)
    /// The tunnel is elsewhere.
    case redirected(location: String)

    /// The contents of an accepting answer.
    struct Acceptance: Equatable {
        /// The value of ``TunnelHeader/routingID``, if there is one.
        let routingID: String?
        /// True if the service will say when the authenticator has joined.
        let signalsConnection: Bool
    }

    private static let maximumRoutingIDByteCount = 256

    /// Judges the head of an answer.
    ///
    /// - Parameters:
    ///   - key: the `Sec-WebSocket-Key` that was sent.
    ///   - target: the path that was asked for.
    /// - Throws: `upgradeRefused`, `gone`, `subprotocolMissing`, `redirectRefused` without a location.
    init(judging head: HTTPResponseHead, key: String, to target: String) throws(DataChannelError) {
        switch head.status {
        case .switchingProtocols:
            self = .accepted(try Self.accept(head, key: key))
        case .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect:
            let locations = head.headers["Location"]
            guard let location = locations.first, locations.count == 1 else {
                throw WebSocketURL.redirectRefusal("a redirect does not name exactly one location")
            }
            self = .redirected(location: location)
        default:
            throw DataChannelError(refusedWith: head, to: target)
        }
    }

    private static func accept(_ head: HTTPResponseHead, key: String) throws(DataChannelError) -> Acceptance {
        let headers = head.headers
        // Whatever this lets through NIO's HTTP parser must take for an upgrade too; it knows no tabs in a list.
        guard head.version == .http1_1, !headers["Connection"].contains(where: { $0.contains("\t") }),
            headers[canonicalForm: "Upgrade"].map({ $0.lowercased() }) == ["websocket"],
            headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { throw refusal("the answer does not upgrade to a WebSocket") }
        // NIO's own check, for the digest of the key; its pipeline is not used.
        let upgrader = NIOWebSocketClientUpgrader(requestKey: key) { channel, _ in
            channel.eventLoop.makeSucceededVoidFuture()
        }
        guard upgrader.shouldAllowUpgrade(upgradeResponse: head) else {
            throw refusal("the answer does not prove that the request was read (Sec-WebSocket-Accept)")
        }
        guard headers["Sec-WebSocket-Extensions"].isEmpty else {
            throw refusal("the answer selects an extension that was not offered")
        }
        guard headers["Sec-WebSocket-Protocol"] == [TunnelWebSocket.subprotocol] else {
            throw DataChannelError(
                .subprotocolMissing,
                reason: "the tunnel service did not select the subprotocol \(TunnelWebSocket.subprotocol)",
                httpStatus: Int(head.status.code)
            )
        }
        let routingIDs = headers[TunnelHeader.routingID]
        guard routingIDs.count <= 1, routingIDs.allSatisfy({ $0.utf8.count <= maximumRoutingIDByteCount }) else {
            throw refusal("the answer has more than one \(TunnelHeader.routingID), or an overlong one")
        }
        // Its value means nothing: that it is there is the agreement.
        let signalsConnection = headers.contains(name: TunnelHeader.signalConnection)
        return Acceptance(routingID: routingIDs.first, signalsConnection: signalsConnection)
    }

    private static func refusal(_ reason: String) -> DataChannelError {
        DataChannelError(
            .upgradeRefused, reason: reason, httpStatus: Int(HTTPResponseStatus.switchingProtocols.code))
    }
}
