import NIOCore
import NIOPosix
import NIOSSL

/// A connection of the benchmark's client, as little as will do.
struct Wire: Sendable {
    private let channel: any Channel
    private let inbox: NIOLoopBound<Inbox>

    /// The connection ended, or the server answered something else.
    struct Unexpected: Error {}

    /// Connects on loopback.
    static func connect(_ port: Int, _ tls: NIOSSLContext?) async throws -> Wire {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let inbox = Inbox()
                    if let tls {
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: nil)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(inbox)
                    return Wire(channel: channel, inbox: NIOLoopBound(inbox, eventLoop: channel.eventLoop))
                }
            }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Waits for `count` bytes, and takes them.
    func receive(_ count: Int) async throws {
        _ = try await take { buffer in buffer.readSlice(length: count) != nil }
    }

    /// Asks for a WebSocket, and takes the answer's head.
    func upgrade(_ path: String) async throws {
        try await send(
            Array(
                """
                GET \(path) HTTP/1.1\r
                Host: localhost\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Protocol: fido.cable\r
                \r

                """.utf8
            )
        )
        try await take { buffer in
            let end = Array("\r\n\r\n".utf8)
            guard let range = buffer.readableBytesView.firstRange(of: end) else { return false }
            let head = buffer.readBytes(length: range.upperBound - buffer.readerIndex) ?? []
            guard head.starts(with: "HTTP/1.1 101".utf8) else { throw Unexpected() }
            return true
        }
    }

    func close() async { try? await channel.close().get() }

    private func take(_ body: @escaping @Sendable (inout ByteBuffer) throws -> Bool) async throws {
        try await channel.eventLoop.flatSubmit {
            inbox.value.wait(on: channel.eventLoop, body)
        }.get()
    }

    /// The received messages, and the task that waits for them.
    private final class Inbox: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var buffer = ByteBuffer()
        private var waiting: (promise: EventLoopPromise<Void>, body: (inout ByteBuffer) throws -> Bool)?
        private var isClosed = false

        func wait(
            on eventLoop: any EventLoop, _ body: @escaping (inout ByteBuffer) throws -> Bool
        ) -> EventLoopFuture<Void> {
            let promise = eventLoop.makePromise(of: Void.self)
            waiting = (promise, body)
            look()
            return promise.futureResult
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            buffer.writeBuffer(&bytes)
            look()
        }

        func channelInactive(context: ChannelHandlerContext) {
            isClosed = true
            look()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func look() {
            guard let (promise, body) = waiting else { return }
            do {
                if try body(&buffer) {
                    waiting = nil
                    promise.succeed(())
                } else if isClosed {
                    waiting = nil
                    promise.fail(Unexpected())
                }
            } catch {
                waiting = nil
                promise.fail(error)
            }
        }
    }
}
