import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import TunnelClient

@Suite("The time after which a lost packet is sent again")
struct RetransmissionTests {
    /// `TCP_RTO_MIN_US`.
    private static let option = ChannelOptions.Types.SocketOption(
        level: .tcp, name: .init(rawValue: 45))

    @Test("is short at a connection, and at those that a listening socket accepts, where Linux has it")
    func inherited() async throws {
        let accepted = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Int.self)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { channel.shortenRetransmission() }
            }
            .childChannelInitializer { channel in
                channel.getOption(Self.option).cascade(to: accepted)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { channel.shortenRetransmission() }
            }
            .connect(to: address).get()
        do {
            let own = try await client.getOption(Self.option).get()
            let inherited = try await accepted.futureResult.get()
            #expect(own == inherited)
            // Two ticks of a kernel, which has 100 to 1000 of them a second.
            #expect((2000...20_000).contains(own))
        } catch let error as IOError where error.errnoCode == ENOPROTOOPT {
            // Linux before 6.16. The connection is there all the same.
        }
        try await client.close()
        try await server.close()
    }
}
