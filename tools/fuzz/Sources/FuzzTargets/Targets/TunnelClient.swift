internal import NIOCore
internal import NIOEmbedded
internal import NIOHTTP1
internal import NIOWebSocket

@testable internal import TunnelClient

extension FuzzTarget {
    static let tunnelClient = FuzzTarget("tunnel-client", "a service's answer, its redirects, and its WebSocket bytes")
    { input in
        switch input.number(below: 3) {
        case 0: address(String(decoding: input.rest(), as: UTF8.self))
        case 1: try answer(&input)
        default: try frames(&input)
        }
    }

    /// RFC 6455 section 1.3's.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let goodAnswer = """
        HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: fido.cable\r
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nX-caBLE-Routing-ID: 0a0b0c\r\n\r\n
        """

    private static func address(_ text: String) {
        guard let url = try? WebSocketURL(parsing: text) else { return }
        expect((try? WebSocketURL(parsing: url.description)) == url, "a URL changes when written and read")
        guard let base = try? WebSocketURL(parsing: "wss://cable.example/cable/new/00") else { return }
        if let target = try? base.redirected(to: text) { expect(target.isSecure, "a redirect leaves TLS") }
    }

    private static func answer(_ input: inout FuzzInput) throws {
        let channel = EmbeddedChannel(
            handler: ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes)))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        var bytes = Array(goodAnswer.utf8)
        let isAltered = input.alter(&bytes)
        bytes += input.rest()
        // NIO pairs answers with requests.
        _ = try? channel.writeOutbound(
            HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        while let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
            guard case .head(let head) = part else { continue }
            let judged = try? UpgradeAnswer(judging: head, key: key, to: "/")
            if case .accepted? = judged { expect(head.status == .switchingProtocols, "an answer without 101 is taken") }
            expect(judged != nil || isAltered, "a good answer is refused")
        }
    }

    private static func frames(_ input: inout FuzzInput) throws {
        let inbox = Inbox()
        let configuration = TunnelClient.Configuration()

        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: configuration.messageLimit)),
            MessageHandler(inbox: inbox, socket: SocketGuard(), configuration: configuration),
        ])
        while !input.isEmpty {
            let bytes = input.bool() ? WireBytes.frame(&input, isMasked: false) : input.counted(atMost: 64)
            _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
            while (try? channel.readOutbound(as: WebSocketFrame.self)) != nil {}
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}
