import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import TunnelClient

@Suite("A ping's answer")
struct PongTests {
    private let channel: EmbeddedChannel

    init() throws {
        let configuration = TunnelClient.Configuration()
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            MessageHandler(inbox: Inbox(), socket: SocketGuard(), configuration: configuration)
        )
    }

    private func ping(_ payload: String) throws {
        try channel.writeInbound(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(string: payload)))
    }

    private func pong() throws -> String? {
        guard let frame = try channel.readOutbound(as: ByteBuffer.self) else { return nil }
        let decoder = EmbeddedChannel(handler: ByteToMessageHandler(WebSocketFrameDecoder()))
        try decoder.writeInbound(frame)
        let pong = try #require(try decoder.readInbound(as: WebSocketFrame.self))
        #expect(pong.opcode == .pong && pong.fin && pong.maskKey != nil)
        return String(buffer: pong.unmaskedData)
    }

    @Test("is a masked pong with the same payload")
    func answers() throws {
        try ping("one")
        try ping("")
        #expect(try pong() == "one")
        #expect(try pong() == "")
        #expect(try pong() == nil)
    }

    @Test("waits while the peer does not read, and is then given to the last ping alone")
    func owesOneAnswer() throws {
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        for number in 0..<1000 { try ping("\(number)") }
        #expect(try pong() == nil)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(try pong() == "999")
        #expect(try pong() == nil)
    }
}
