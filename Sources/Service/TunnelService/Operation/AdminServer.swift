import Glibc
import HybridProtocol
import NIOCore
import NIOHTTP1
import NIOPosix

/// The server of the admin address, on the event loop of the service: an answer says that this still turns.
///
/// | path | answer |
/// |---|---|
/// | `/metrics` | 200 with the counts |
/// | `/healthz` | 200 |
/// | `/readyz` | 200, or 503 with the reason for which nothing new should be sent here |
///
/// A `Host` that is none of this address's has 421.
struct AdminServer: Sendable {
    /// The state that it tells of.
    let relay: Relay
    /// The counts.
    let metrics: PrometheusMetrics

    /// The most connections; more are closed at once.
    private static let maximumConnectionCount = 32

    /// Starts to listen.
    func bind(to address: AdminAddress) async throws -> any Channel {
        let count = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: relay.eventLoop)
        let bootstrap = ServerBootstrap(group: relay.eventLoop)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [self] channel in
                channel.closeFuture.assumeIsolated().whenComplete { _ in count.value -= 1 }
                count.value += 1
                if count.value > Self.maximumConnectionCount { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        HTTPResponseEncoder(), AdminHandler(self),
                    ])
                }
            }
        switch address {
        case .tcp(let host, let port, _): return try await bootstrap.bind(host: host, port: port).get()
        case .unixSocket(let path):
            return try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
        }
    }

    /// True if a request is for this address: by a name of loopback, by the address itself, or by a name of the
    /// service. A page of a browser that has its own name lead here must not read the counts (DNS rebinding).
    private func isOurs(_ hosts: [String], at address: SocketAddress?) -> Bool {
        // No browser comes by a Unix socket, or without a Host.
        guard let local = address?.ipAddress, !hosts.isEmpty else { return true }
        var names = relay.upgrade.hostNames.union(["localhost"])
        if case .tcp(let host, _, _) = relay.configuration.admin { names.insert(UpgradeRequest.lowercased(host)) }
        return hosts.map(UpgradeRequest.hostName).allSatisfy { name in
            if names.contains(name) { return true }
            let literal = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
            guard let asked = try? SocketAddress(ipAddress: literal, port: 0), let text = asked.ipAddress else {
                return false
            }
            return asked.isLoopback || [text, "::ffff:\(text)"].contains(local)
        }
    }

    /// The answer to a request.
    ///
    /// - Parameters:
    ///   - request: its head.
    ///   - address: the end of the connection that is here.
    func answer(
        _ request: HTTPRequestHead, at address: SocketAddress?
    ) -> (status: HTTPResponseStatus, type: String, body: String) {
        let text = "text/plain; charset=utf-8"
        let (method, path) = (request.method, request.uri)
        guard isOurs(request.headers["Host"], at: address) else {
            return (.misdirectedRequest, text, "the Host is not one of this service's: --host-name gives its names\n")
        }
        guard [.GET, .HEAD].contains(method) else { return (.methodNotAllowed, text, "only GET is served\n") }
        switch path {
        case "/metrics":
            relay.observe()
            return (.ok, PrometheusMetrics.contentType, metrics.text())
        case "/healthz": return (.ok, text, "alive\n")
        case "/readyz":
            let reason = relay.unreadiness
            return (
                reason == nil ? .ok : .serviceUnavailable, text,
                (reason ?? ["ready", relay.limitation].compactMap(\.self).joined(separator: "; ")) + "\n"
            )
        default: return (.notFound, text, "there are /metrics, /healthz and /readyz\n")
        }
    }
}

/// A connection to the admin address: takes one request and answers it, within the time of a request.
private final class AdminHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: AdminServer
    private var head: HTTPRequestHead?
    private var end: Scheduled<Void>?

    init(_ server: AdminServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: server.relay.times.request) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { end?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            if let head = head.take() { answer(head, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let (status, type, body) = server.answer(request, at: context.channel.localAddress)
        let headers: HTTPHeaders = [
            "Date": HTTPDate.text(Int64(time(nil))), "Content-Type": type, "Content-Length": "\(body.utf8.count)",
            "Connection": "close",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
