import Glibc
import HybridProtocol
import NIOCore
import NIOHTTP1

/// The first handler of a connection: takes one HTTP request, and answers it with 101 and the WebSocket's handler, or
/// refuses it.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler, PhaseHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The state of the request.
    enum State {
        /// Nothing, or a part of the head, has come.
        case awaitingHead
        /// The head is good; its end is awaited.
        case awaitingEnd(HTTPRequestHead, RequestTarget)
        /// The authenticator has to know of the client first.
        case calling(PendingContact)
        /// The connection is an end of a tunnel, or closing.
        case done
    }

    let relay: Relay
    let connection: ConnectionHandler
    var deadline: NIODeadline
    var state = State.awaitingHead
    private(set) var context: ChannelHandlerContext?
    /// The answer to any request, if the connection is one too many.
    var refusal: HTTPRefusal?
    /// An answer to HEAD is a head alone (RFC 9110 section 9.3.2).
    private var omitsBody = false
    private let start = NIODeadline.now()

    /// Makes a handler.
    ///
    /// - Parameter refusal: the answer to any request, if the connection is one too many.
    init(relay: Relay, connection: ConnectionHandler, refusal: HTTPRefusal?) {
        self.relay = relay
        self.connection = connection
        self.refusal = refusal
        deadline = start + relay.times.request
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        cancelCall()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .awaitingHead): take(head)
        case (.body, .awaitingEnd): refuse(.badRequest("the request must have no body"))
        case (.end, .awaitingEnd(let head, let request)): answer(head, request)
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .done = state { return }
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow: refuse(.headTooLong)
        case is HTTPParserError: refuse(.badRequest("this is not an HTTP/1.1 request"))
        default: connection.close()
        }
    }

    func bytesReceived() {
        if connection.receivedBytes > relay.limits.requestBytes { refuse(.headTooLong) }
    }

    func tick(_ now: NIODeadline) {
        guard now >= deadline else { return }
        if case .calling = state { return refuse(.unreachable) }
        // Without a byte of HTTP there may be no TLS to answer through.
        if connection.receivedBytes == 0 {
            connection.close()
        } else {
            refuse(.tooSlow)
        }
    }

    func drain() {
        if case .calling = state { return refuse(.draining) }
        // A request may be on its way: it has the close time to come and be told 503.
        deadline = min(deadline, .now() + relay.times.close)
    }

    func evict() {
        if case .done = state { return connection.close() }
        // Without a byte of HTTP there may be no TLS to answer through.
        if connection.receivedBytes == 0 {
            connection.close()
        } else {
            refuse(.full)
        }
    }

    func goAway() { connection.close() }

    func exceededRecordRate() { connection.close() }

    private func take(_ head: HTTPRequestHead) {
        omitsBody = head.method == .HEAD
        do throws(HTTPRefusal) {
            if let refusal { throw refusal }
            let request = try RequestTarget(method: head.method, path: head.uri)
            if relay.registry.isDraining, !request.joins { throw .draining }
            try relay.upgrade.check(head)
            state = .awaitingEnd(head, request)
        } catch {
            refuse(error)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ request: RequestTarget) {
        do throws(HTTPRefusal) {
            switch request {
            case .open(let tunnelID): try open(tunnelID, head)
            case .join(let routingID, let tunnelID): try join(routingID, tunnelID, head)
            case .listen: try listen(head)
            case .contact(let contactID): try call(contactID, head)
            }
        } catch {
            refuse(error)
        }
    }

    private func open(_ tunnelID: TunnelID, _ head: HTTPRequestHead) throws(HTTPRefusal) {
        guard let context else { return }
        let handler = RelayHandler(relay: relay, connection: connection)
        let end = TunnelEnd(handler, eventLoop: context.eventLoop)
        let reservation = try relay.openTunnel(tunnelID, opener: end, on: connection)
        handler.begin(.opener(reservation))
        upgrade(head, to: handler, headers: [relay.routingHeader])
        relay.tunnelOpened(reservation)
    }

    private func join(_ routingID: RoutingID, _ tunnelID: TunnelID, _ head: HTTPRequestHead) throws(HTTPRefusal) {
        guard let context else { return }
        guard routingID == relay.configuration.routingID else { throw .otherNode }
        let pairing = try relay.registry.join(tunnelID)
        let handler = RelayHandler(relay: relay, connection: connection)
        handler.begin(.joiner(of: pairing.opener))
        upgrade(head, to: handler, headers: [])
        // Not before the 101 is written: the messages of the other end are queued behind it.
        pairing.opener.attach(TunnelEnd(handler, eventLoop: context.eventLoop))
        relay.tunnelPaired(pairing)
    }

    /// Answers 101 and replaces HTTP by WebSocket in the pipeline.
    func upgrade(
        _ head: HTTPRequestHead,
        to handler: some ChannelHandler & WebSocketHandler,
        headers: [HTTPRefusal.Header],
        maximumMessageBytes: Int? = nil
    ) {
        guard let context else { return }
        // That of a client waits for its authenticator, and counts as a wake.
        if case .awaitingEnd = state { relay.metrics.setUp(in: .now() - start) }
        state = .done
        connection.handler = handler
        guard let answer = relay.webSocket.answer(to: head, on: context.channel, headers: headers) else {
            return connection.close()
        }
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        do {
            try relay.webSocket.replaceHTTP(
                in: context,
                by: handler,
                maximumFrameBytes: max(
                    maximumMessageBytes ?? relay.limits.messageBytes, RelayHandler.largestControlPayload),
                turns: relay.connections.value.turns
            )
        } catch {
            connection.close()
        }
    }

    func refuse(_ refusal: HTTPRefusal) {
        if case .done = state { return }
        cancelCall()
        state = .done
        connection.standing = .closing
        relay.refused(refusal)
        guard let context else { return }
        let body = context.channel.allocator.buffer(string: refusal.text + "\n")
        var head = HTTPResponseHead(version: .http1_1, status: refusal.status)
        // RFC 9110 section 6.6.1.
        head.headers.add(name: "Date", value: HTTPDate.text(Int64(time(nil))))
        head.headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
        head.headers.add(name: "Content-Length", value: "\(body.readableBytes)")
        head.headers.add(name: "Connection", value: "close")
        for header in refusal.headers { head.headers.add(name: header.name, value: header.value) }
        connection.discardInput()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !omitsBody { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let connection = NIOLoopBound(self.connection, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in connection.value.finish() }
    }
}
