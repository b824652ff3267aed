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
    private let course: TunnelServerProbe.Course
    private var phase = ConnectionAttempt.Phase.securing

    init(_ url: WebSocketURL, _ course: TunnelServerProbe.Course) {
        self.url = url
        self.course = course
        course.note { $0.isConnected = true }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if !url.isSecure { ask(context: context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            course.note {
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
            course.note { $0.clockDifference = theirs - ours }
        }
        course.end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            course.note { $0.isForOtherName = true }
        }
        course.end(DataChannelError(error, during: phase, at: url))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        course.end(.closedBeforeAnswer)
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
