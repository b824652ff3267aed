internal import Glibc
package import HybridProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import Synchronization

/// Looks at the server of a tunnel service from outside: its name, its certificate and its clock.
package struct TunnelServerProbe: Sendable {
    /// A server's answer to one request, as far as it came.
    package struct Answer: Sendable {
        /// The reason why there was none.
        package internal(set) var error: DataChannelError?
        /// True if the certificate is trusted, but for another name.
        package internal(set) var isForOtherName = false
        /// The certificate's first and last second since 1970, trusted or not; nil without TLS.
        package internal(set) var certificate: (notBefore: Int64, notAfter: Int64)?
        /// The server's clock minus this machine's, in seconds; nil if it did not tell.
        package internal(set) var clockDifference: Int64?
        /// True if a connection was made, whatever became of it.
        package internal(set) var isConnected = false

        package init() {}
    }

    /// The longest time for each of two connections.
    private static let connectionLimit = TimeAmount.seconds(4)

    private let url: WebSocketURL
    private let trust: TrustStore
    private let proxies: ProxySettings

    /// Makes a probe; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - url: the service's address, `wss://host[:port]` or `ws://host[:port]`.
    ///   - authorityFiles: PEM files of authorities to trust beside the system's.
    ///   - proxies: the proxies through which servers are reached.
    /// - Throws: `DataChannelError` with `invalid-url` or `tls-failed`.
    package init(
        _ url: String, authorityFiles: [String], proxies: ProxySettings
    ) throws(DataChannelError) {
        self.url = try WebSocketURL(parsing: url)
        self.proxies = proxies
        trust = try TrustStore(systemRoots: true, authorityFiles: authorityFiles, authorityTexts: [])
    }

    /// True if TLS is spoken there.
    package var isSecure: Bool { url.isSecure }
    /// The way to the server.
    ///
    /// - Throws: `DataChannelError` `proxy-failed` for a proxy whose address is malformed.
    package var way: ProxySettings.Way { get throws(DataChannelError) { try proxies.way(to: url) } }
    /// True if the address has no name that would have to be resolved.
    package var isAddress: Bool { url.address != nil }

    /// Looks the name up.
    ///
    /// - Returns: false for a name that has no address; nil if the task was cancelled before there was an answer.
    package func resolves() async -> Bool? {
        guard !isAddress else { return true }
        // A look-up that has begun cannot be cancelled: it is left to itself.
        let (answers, continuation) = AsyncStream.makeStream(of: Bool?.self, bufferingPolicy: .bufferingOldest(1))
        let host = url.host
        let look = Task {
            continuation.yield(try? await NIOThreadPool.singleton.runIfActive { Self.hasAddress(host) })
        }
        defer { look.cancel() }
        return await answers.first { _ in true } ?? nil
    }

    private static func hasAddress(_ host: String) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0 else { return false }
        freeaddrinfo(found)
        return true
    }

    /// Asks for a page, to see how the server answers. Where its certificate is refused it is asked again without
    /// trust, for the certificate's dates and the clock alone.
    package func answer() async -> Answer {
        let trusted: Answer
        let proxy: Proxy?
        do throws(DataChannelError) {
            proxy = try way.proxy
            trusted = await answer(tls: isSecure ? try trust.context() : nil, through: proxy)
        } catch {
            var answer = Answer()
            answer.error = error
            return answer
        }
        guard trusted.error?.code == .tlsFailed, trusted.certificate == nil,
            let anything = try? NIOSSLContext(configuration: Self.untrusting)
        else { return trusted }
        let untrusted = await answer(tls: anything, isTrusting: false, through: proxy)
        var answer = trusted
        answer.certificate = untrusted.certificate
        answer.clockDifference = untrusted.clockDifference
        return answer
    }

    private static var untrusting: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return configuration
    }

    private func answer(tls: NIOSSLContext?, isTrusting: Bool = true, through proxy: Proxy?) async -> Answer {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let progress = Progress(end: loop.makePromise())
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(Self.connectionLimit)
        let channel =
            proxy.map { bootstrap.connect(to: url, through: $0, within: Self.connectionLimit) }
            ?? bootstrap.connect(host: url.host, port: Int(url.port))
        let limit = loop.scheduleTask(in: Self.connectionLimit) {
            progress.end(DataChannelError(.timeout, reason: "no answer in time"))
        }
        channel.flatMapThrowing { channel in
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addTLS(tls, to: url, checksName: isTrusting) }
            try pipeline.addHandlers([
                HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()), ResponseHeadHandler(url, progress),
            ])
        }.whenFailure { progress.end(DataChannelError($0, during: .connecting, at: url)) }
        return await withTaskCancellationHandler {
            // The promise never fails.
            try? await progress.ended.get()
            limit.cancel()
            channel.whenSuccess { $0.close(promise: nil) }
            return progress.answer
        } onCancel: {
            progress.end(.cancelledTask)
        }
    }

    /// Progress of an answer.
    final class Progress: Sendable {
        private struct State {
            var answer = Answer()
            var isOver = false
        }

        private let state = Mutex(State())
        private let promise: EventLoopPromise<Void>

        init(end promise: EventLoopPromise<Void>) { self.promise = promise }

        var answer: Answer { state.withLock { $0.answer } }
        var ended: EventLoopFuture<Void> { promise.futureResult }

        func note(_ change: (inout Answer) -> Void) { state.withLock { if !$0.isOver { change(&$0.answer) } } }

        /// Ends the wait for more; later notes are ignored.
        func end(_ error: DataChannelError? = nil) {
            let isFirst = state.withLock { state in
                guard !state.isOver else { return false }
                state.isOver = true
                state.answer.error = error
                return true
            }
            if isFirst { promise.succeed(()) }
        }
    }
}

/// Asks for a page and takes the head of the answer.
final class ResponseHeadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let url: WebSocketURL
    private let progress: TunnelServerProbe.Progress
    private var phase = ConnectionAttempt.Phase.securing

    init(_ url: WebSocketURL, _ progress: TunnelServerProbe.Progress) {
        self.url = url
        self.progress = progress
        progress.note { $0.isConnected = true }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if !url.isSecure { ask(context: context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            progress.note {
                $0.certificate = certificate.map { (Int64($0.notValidBefore), Int64($0.notValidAfter)) }
            }
            ask(context: context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let dates = head.headers["Date"]
        if let date = dates.first, dates.count == 1, let theirs = HTTPDate.seconds(date) {
            let ours = Int64(time(nil))
            progress.note { $0.clockDifference = theirs - ours }
        }
        progress.end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            progress.note { $0.isForOtherName = true }
        }
        progress.end(DataChannelError(error, during: phase, at: url))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        progress.end(.closedBeforeAnswer)
        context.fireChannelInactive()
    }

    private func ask(context: ChannelHandlerContext) {
        phase = .upgrading
        let headers: HTTPHeaders = ["Host": url.authority, "Connection": "close"]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
