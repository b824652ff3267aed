internal import Glibc
internal import HybridProtocol
internal import HybridTransport
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NIOTLS

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
