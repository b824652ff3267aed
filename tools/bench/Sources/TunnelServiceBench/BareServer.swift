import HybridProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// The floors: NIO's own upgrade and framing on one event loop, without limits, deadlines or back-pressure.
///
/// Under `/cable/…` it is a relay between the two connections whose path ends alike; under any other path an echo.
enum BareServer {
    private static let maximumFrameBytes = 1 << 20

    /// Listens on a port of the system's choice.
    static func start(_ tls: NIOSSLContext?) async throws -> Int {
        let eventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let waiting = NIOLoopBoundBox.makeBoxSendingValue([String: Ends](), eventLoop: eventLoop)
        let listener = try await ServerBootstrap(group: eventLoop)
            .serverChannelOption(ChannelOptions.backlog, value: 1_024)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                let upgrader = NIOWebSocketServerUpgrader(maxFrameSize: maximumFrameBytes) { channel, _ in
                    channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": TunnelWebSocket.subprotocol])
                } upgradePipelineHandler: { channel, head in
                    channel.eventLoop.makeCompletedFuture {
                        let ends = ends(head.uri, &waiting.value)
                        try channel.pipeline.syncOperations.addHandler(BareEnd(ends))
                    }
                }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline(withServerUpgrade: ([upgrader], { _ in }))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return listener.localAddress?.port ?? 0
    }

    /// The ends among which a connection of this path belongs.
    private static func ends(_ path: String, _ waiting: inout [String: Ends]) -> Ends {
        guard path.hasPrefix("/cable/"), let name = path.split(separator: "/").last.map(String.init) else {
            return Ends()
        }
        if let ends = waiting.removeValue(forKey: name) { return ends }
        let ends = Ends()
        waiting[name] = ends
        return ends
    }
}

/// The connections of a tunnel: two, or one for an echo.
private final class Ends {
    var all: [BareEnd] = []
}

/// One connection of a floor: passes frames on at once, each as one buffer, which under TLS is one record. NIO's own
/// encoder writes a head and a payload, which are two.
private final class BareEnd: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private static let isFinal: UInt8 = 0x80
    private static let mediumLength: UInt8 = 126
    private static let longestHead = 4

    private let ends: Ends
    /// Bytes that are written through it do not come to NIO's encoder.
    private var encoder: ChannelHandlerContext?

    init(_ ends: Ends) { self.ends = ends }

    func handlerAdded(context: ChannelHandlerContext) {
        encoder = try? context.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self)
        ends.all.append(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        encoder = nil
        ends.all = []
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let other = ends.all.first { $0 !== self } ?? self
        let payload = frame.unmaskedData
        var bytes = context.channel.allocator.buffer(capacity: Self.longestHead + payload.readableBytes)
        bytes.writeInteger(Self.isFinal | UInt8(webSocketOpcode: frame.opcode))
        if payload.readableBytes < Self.mediumLength {
            bytes.writeInteger(UInt8(payload.readableBytes))
        } else {
            bytes.writeInteger(Self.mediumLength)
            bytes.writeInteger(UInt16(payload.readableBytes))
        }
        bytes.writeImmutableBuffer(payload)
        other.encoder?.writeAndFlush(NIOAny(bytes), promise: nil)
    }
}
