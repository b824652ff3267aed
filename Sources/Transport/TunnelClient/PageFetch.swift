package import HybridProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import Synchronization

/// Gets a small page over `https`: without cookies, credentials or a referrer, and within limits.
///
/// A page that comes from everywhere leads to no address of this machine or of its networks, and one of the networks to
/// none of this machine: only the addresses that were checked are connected to.
package struct PageFetch: Sendable {
    /// A page as it came.
    package struct Page: Sendable {
        /// The status, after redirects.
        package let status: Int
        /// The values of the headers `Content-Type`, in their order.
        package let contentTypes: [String]
        /// The body.
        package let body: [UInt8]
    }

    /// The most bytes of a body.
    package var maxByteCount = 1 << 18
    /// The longest time for the page, redirects included.
    package var timeout = Duration.seconds(10)
    /// The most redirects.
    package var maxRedirectCount = 20

    private static let scheme = "https://"
    private static let redirects: Set<UInt> = [301, 302, 303, 307, 308]

    private static let late = DataChannelError(.timeout, reason: "the page did not arrive in time")

    private let trust: TrustStore
    private let proxies: ProxySettings
    /// Tells the scope of an address.
    var scope: @Sendable (SocketAddress) -> AddressScope = { AddressScope($0) }

    /// Makes a client; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - authorityFiles: PEM files of authorities to trust beside the system's.
    ///   - proxies: the proxies through which servers are reached.
    /// - Throws: `DataChannelError` `tls-failed` if one cannot be read.
    package init(authorityFiles: [String], proxies: ProxySettings = .none) throws(DataChannelError) {
        self.proxies = proxies
        trust = try TrustStore(systemRoots: true, authorityFiles: authorityFiles, authorityTexts: [])
    }

    /// Gets a page, following redirects as long as they stay with `https`.
    ///
    /// - Parameter url: `https://host[:port]/path`.
    /// - Throws: `DataChannelError`: `invalid-url`, `unreachable`, `tls-failed`, `timeout`, `connection-lost`,
    ///   `proxy-failed`, `redirect-refused`, `upgrade-refused` for an answer that is not HTTP or too long, or
    ///   `cancelled`.
    package func get(_ url: String) async throws(DataChannelError) -> Page {
        guard url.hasPrefix(Self.scheme) else {
            throw DataChannelError(.invalidURL, reason: "the address of a page begins with https://")
        }
        // The rules of a tunnel's URL are those of any that is fetched here.
        var target = try WebSocketURL(parsing: "wss://" + url.dropFirst(Self.scheme.count))
        let end = ContinuousClock.now + timeout
        var redirectCount = 0
        var widest = AddressScope.machine
        while true {
            let (answer, scope) = try await request(target, from: widest, within: end - .now)
            widest = max(widest, scope)
            guard Self.redirects.contains(answer.head.status.code),
                let location = answer.head.headers["Location"].first, !location.isEmpty
            else {
                return Page(
                    status: Int(answer.head.status.code), contentTypes: answer.head.headers["Content-Type"],
                    body: answer.body)
            }
            guard redirectCount < maxRedirectCount else {
                throw WebSocketURL.redirectRefusal("more than \(maxRedirectCount) redirects")
            }
            redirectCount += 1
            target = try target.redirected(to: location)
        }
    }

    private func request(
        _ target: WebSocketURL, from widest: AddressScope, within limit: Duration
    ) async throws(DataChannelError) -> (PageAnswer, AddressScope) {
        guard limit > .zero else { throw Self.late }
        let tls = try trust.context()
        let way = try proxies.way(to: target)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: PageAnswer.self)
        let waiting = Waiting(promise)
        let maxByteCount = maxByteCount
        let resolver = ScopedResolver(on: loop, least: widest, scope: scope)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(TimeAmount(limit) + .seconds(1))
        let channel =
            if let proxy = way.proxy {
                bootstrap.connect(to: target, through: proxy, within: TimeAmount(limit))
            } else {
                bootstrap.resolver(resolver).connect(host: target.host, port: Int(target.port))
            }
        let alarm = loop.scheduleTask(in: TimeAmount(limit)) {
            waiting.end(.failure(Self.late))
        }
        channel.flatMapThrowing { channel in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ByteLimit())
            try pipeline.addTLS(tls, to: target)
            try pipeline.addHandlers([
                HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()),
                PageHandler(target, maxByteCount: maxByteCount, waiting),
            ])
        }.whenFailure { waiting.end(.failure(DataChannelError($0, during: .connecting, at: target).by(way))) }
        let result: Result<PageAnswer, any Error> = await withTaskCancellationHandler {
            do { return .success(try await promise.futureResult.get()) } catch { return .failure(error) }
        } onCancel: {
            waiting.end(.failure(.cancelledTask))
        }
        alarm.cancel()
        channel.whenSuccess { $0.close(promise: nil) }
        switch result {
        case .success(let answer):
            // A proxy resolves names itself, and those who run it decide on the addresses.
            return (answer, way.proxy == nil ? resolver.widest : .everywhere)
        case .failure where resolver.isRefused:
            throw WebSocketURL.redirectRefusal("the new location, \(target.host), is in a network of this machine")
        case .failure(let error): throw DataChannelError(error, during: .upgrading, at: target)
        }
    }

    /// The wait for an answer, which ends once.
    final class Waiting: Sendable {
        private let promise: EventLoopPromise<PageAnswer>
        private let isOver = Mutex(false)

        init(_ promise: EventLoopPromise<PageAnswer>) { self.promise = promise }

        func end(_ result: Result<PageAnswer, DataChannelError>) {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            guard isFirst else { return }
            switch result {
            case .success(let answer): promise.succeed(answer)
            case .failure(let error): promise.fail(error)
            }
        }
    }
}

/// Bounds the bytes that a server may send in all: heads, trailers, and the framing of chunks and of TLS are not part
/// of the body.
final class ByteLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var left = 1 << 24

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        left -= unwrapInboundIn(data).readableBytes
        guard left >= 0 else {
            context.fireErrorCaught(DataChannelError(.upgradeRefused, reason: "the answer is too long"))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}

/// A whole answer.
struct PageAnswer: Sendable {
    let head: HTTPResponseHead
    let body: [UInt8]
}

/// Asks for a page once TLS is there, and takes it.
final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let url: WebSocketURL
    private let maxByteCount: Int
    private let waiting: PageFetch.Waiting
    private var phase = ConnectionAttempt.Phase.securing
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(_ url: WebSocketURL, maxByteCount: Int, _ waiting: PageFetch.Waiting) {
        self.url = url
        self.maxByteCount = maxByteCount
        self.waiting = waiting
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { ask(context: context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let part):
            guard body.count + part.readableBytes <= maxByteCount else {
                return end(DataChannelError(.upgradeRefused, reason: "the page has more than \(maxByteCount) bytes"))
            }
            body += part.readableBytesView
        case .end:
            if let head { waiting.end(.success(PageAnswer(head: head, body: body))) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A server that ends the connection without TLS's close_notify may have ended its page with it; the decoder
        // knows.
        if head != nil, case NIOSSLError.uncleanShutdown = error { return }
        if error is HTTPParserError {
            end(DataChannelError(.upgradeRefused, reason: "the answer of \(url.authority) is not HTTP, or cut off"))
        } else {
            end(DataChannelError(error, during: phase, at: url))
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(DataChannelError(.connectionLost, reason: "\(url.authority) closed before the page arrived"))
        context.fireChannelInactive()
    }

    private func end(_ error: DataChannelError) { waiting.end(.failure(error)) }

    private func ask(context: ChannelHandlerContext) {
        phase = .upgrading
        let headers: HTTPHeaders = ["Host": url.authority, "Accept": "application/json", "Connection": "close"]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
