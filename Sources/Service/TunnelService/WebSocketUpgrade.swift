import HybridProtocol
import NIOCore
import NIOHTTP1
import NIOWebSocket
import TunnelClient

/// The answer 101 (RFC 6455 section 4.2.2), and the change of a connection's pipeline from HTTP to WebSocket.
struct WebSocketUpgrade: Sendable {
    /// Computes `Sec-WebSocket-Accept`; the pipeline is changed here and not by it.
    private let upgrader = NIOWebSocketServerUpgrader(
        shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
        upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
    )

    /// The head of the answer 101 to a request that has been checked, with the subprotocol selected and no extension.
    ///
    /// - Returns: `nil` if the key or the version is not as it must be.
    func answer(to head: HTTPRequestHead, on channel: any Channel, headers: [HTTPRefusal.Header]) -> HTTPResponseHead? {
        var accepted: HTTPHeaders?
        // Nothing in it waits for anything: the future is complete when it is returned.
        upgrader.buildUpgradeResponse(channel: channel, upgradeRequest: head, initialResponseHeaders: [:])
            .assumeIsolated()
            .whenSuccess { accepted = $0 }
        guard var fields = accepted else { return nil }
        fields.add(name: "Sec-WebSocket-Protocol", value: TunnelWebSocket.subprotocol)
        for header in headers { fields.add(name: header.name, value: header.value) }
        return HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: fields)
    }

    /// Puts `handler` and WebSocket's framing in the place of HTTP's handlers, of which `context` is the last.
    ///
    /// Bytes that the peer sent after its request are handed to the new handlers.
    func replaceHTTP(
        in context: ChannelHandlerContext,
        by handler: any ChannelHandler,
        maximumFrameBytes: Int,
        turns: PortionTurns
    ) throws {
        let pipeline = context.pipeline.syncOperations
        let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
        let frames = PortionHandler(FramePortions(maximumFrameBytes: maximumFrameBytes), turns: turns)
        try pipeline.addHandlers([frames, handler])
        pipeline.removeHandler(context: context, promise: nil)
        pipeline.removeHandler(context: encoder, promise: nil)
        // It hands on the bytes behind the request when it leaves, which is after the end of the read.
        pipeline.removeHandler(context: decoder).assumeIsolated().whenComplete { _ in frames.endRead() }
    }
}
