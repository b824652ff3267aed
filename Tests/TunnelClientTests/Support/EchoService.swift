import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import TestPeers

/// A tunnel service over TLS that sends back each message, and notes the records that come.
enum EchoService {
    /// Serves for the time of `body`, which is given the port and the records of the next connection.
    static func run(
        identity: Identity, _ body: (_ port: Int, _ records: RecordLengths) async throws -> Void
    ) async throws {
        let records = RecordLengths()
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(identity.certificate).map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: identity.key, format: .pem))))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let upgrader = NIOWebSocketServerUpgrader { channel, _ in
                    channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": "fido.cable"])
                } upgradePipelineHandler: { channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Echo())
                    }
                }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(records)
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                    try pipeline.configureHTTPServerPipeline(withServerUpgrade: ([upgrader], { _ in }))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(listener.localAddress?.port ?? 0, records)
        } catch {
            try await listener.close().get()
            throw error
        }
        try await listener.close().get()
    }

    /// Sends back messages, and answers a Close.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            guard [.binary, .connectionClose].contains(frame.opcode) else { return }
            let answer = WebSocketFrame(fin: true, opcode: frame.opcode, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }
}
