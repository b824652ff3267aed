import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import TunnelClient

@Suite("A frame")
struct FrameEncoderTests {
    private static let opcodes: [WebSocketOpcode] = [.binary, .continuation, .ping, .pong, .connectionClose]

    /// The buffers that an encoder writes for a frame.
    private func buffers(_ encoder: any ChannelOutboundHandler, _ frame: WebSocketFrame) throws -> [ByteBuffer] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(encoder)
        try channel.writeOutbound(frame)
        var buffers: [ByteBuffer] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { buffers.append(buffer) }
        _ = try channel.finish(acceptAlreadyClosed: true)
        return buffers
    }

    @Test(
        "is written as one buffer, with the bytes of NIO's encoder",
        arguments: [0, 1, 125, 126, 65_535, 65_536, 1 << 20], [false, true])
    func oneBuffer(byteCount: Int, isMasked: Bool) throws {
        let payload = ByteBuffer(bytes: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for opcode in Self.opcodes {
            for isFinal in [true, false] {
                let frame = WebSocketFrame(
                    fin: isFinal, opcode: opcode, maskKey: isMasked ? [0x12, 0xC3, 0x5A, 0x99] : nil, data: payload)
                let ours = try buffers(FrameEncoder(), frame)
                let theirs = try buffers(WebSocketFrameEncoder(), frame)
                #expect(ours.count == 1)
                #expect(ours.flatMap { Array($0.readableBytesView) } == theirs.flatMap { Array($0.readableBytesView) })
            }
        }
    }

    @Test("leaves the payload that it was made of as it was")
    func payloadStays() throws {
        let payload = ByteBuffer(bytes: [1, 2, 3])
        let frame = WebSocketFrame(fin: true, opcode: .binary, maskKey: [9, 9, 9, 9], data: payload)
        _ = try buffers(FrameEncoder(), frame)
        #expect(payload == ByteBuffer(bytes: [1, 2, 3]))
    }

    @Test(
        "has the length that its head and its payload have together",
        arguments: [(0, 6), (125, 131), (126, 134), (65_535, 65_543), (65_536, 65_550)])
    func length(payload: Int, masked: Int) {
        #expect(FrameLength.masked(payload: payload) == masked)
        #expect(FrameLength.head(payload: payload, isMasked: false) == masked - payload - 4)
    }
}
