internal import Measuring
internal import NIOCore
internal import NIOPosix

/// The advert of a bare exchange: one datagram, of the length of a sign-in's, from one bare socket to another.
struct BareAdvert {
    /// A service UUID and an advert.
    private static let byteCount = 2 + 20

    /// A socket that waits for it.
    struct Scan {
        fileprivate let channel: any Channel
        fileprivate let arrival: EventLoopFuture<Int>

        static func begin() async throws -> Self {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let promise = eventLoop.makePromise(of: Int.self)
            let channel = try await DatagramBootstrap(group: eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Arrival(promise))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            return Self(channel: channel, arrival: promise.futureResult)
        }

        /// Waits for it.
        func heard() async throws {
            guard try await arrival.get() == BareAdvert.byteCount else { throw BenchError("an advert has changed") }
        }

        func end() async throws { try await channel.close() }

        /// Sends it here, as long as `body` runs.
        func advertise<Value>(while body: () async throws -> Value) async throws -> Value {
            guard let target = channel.localAddress else { throw BenchError("a socket without an address") }
            let sender = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0).get()
            let advert = ByteBuffer(repeating: 0x5A, count: BareAdvert.byteCount)
            try await sender.writeAndFlush(AddressedEnvelope(remoteAddress: target, data: advert))
            let value = try await body()
            try await sender.close()
            return value
        }
    }

    /// Notes the length of the first datagram.
    private final class Arrival: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>

        private let promise: EventLoopPromise<Int>

        init(_ promise: EventLoopPromise<Int>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            promise.succeed(unwrapInboundIn(data).data.readableBytes)
        }
    }
}
