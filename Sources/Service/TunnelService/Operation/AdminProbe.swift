import NIOCore
import NIOHTTP1
import NIOPosix

/// A question to the admin address of a running service: whether new connections should come there.
package enum AdminProbe {
    /// The answer of a service.
    package struct Answer: Sendable, Equatable {
        /// True for the status 200.
        package let isReady: Bool
        /// The service's own words: one line, of 1,024 bytes at most. They are foreign text.
        package let text: String
    }

    private static let path = "/readyz"

    /// Asks.
    ///
    /// - Parameters:
    ///   - address: the admin address.
    ///   - limit: the time limit of connection and answer together.
    /// - Returns: the answer; nil if nothing answers there in time, or not as a service does.
    package static func ask(_ address: AdminAddress, within limit: Duration) async -> Answer? {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Answer?.self)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(TimeAmount(limit)).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers([
                    HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()), ProbeHandler(path, promise),
                ])
            }
        }
        let connected =
            switch address {
            case .tcp(let host, let port, _): bootstrap.connect(host: host, port: port)
            case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        let alarm = loop.scheduleTask(in: TimeAmount(limit)) { promise.succeed(nil) }
        connected.whenFailure { _ in promise.succeed(nil) }
        let answer = try? await promise.futureResult.get()
        alarm.cancel()
        connected.whenSuccess { $0.close(promise: nil) }
        return answer ?? nil
    }
}

/// Asks for a page, and takes a short answer.
private final class ProbeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private static let longestText = 1_024
    private let path: String
    private let promise: EventLoopPromise<AdminProbe.Answer?>
    private var status: HTTPResponseStatus?
    private var text: [UInt8] = []

    init(_ path: String, _ promise: EventLoopPromise<AdminProbe.Answer?>) {
        self.path = path
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        // A name of loopback is the service's at every address.
        let headers: HTTPHeaders = ["Host": "localhost", "Connection": "close"]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status
        case .body(let part):
            text += part.readableBytesView
            if text.count > Self.longestText { promise.succeed(nil) }
        case .end:
            let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            switch status {
            case .ok?: promise.succeed(AdminProbe.Answer(isReady: true, text: line))
            case .serviceUnavailable?: promise.succeed(AdminProbe.Answer(isReady: false, text: line))
            default: promise.succeed(nil)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.succeed(nil) }

    func channelInactive(context: ChannelHandlerContext) { promise.succeed(nil) }
}
