import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import TunnelClient

@Suite("A frame")
struct FrameTests {
    private static let opcodes: [WebSocketOpcode] = [.binary, .continuation, .ping, .pong, .connectionClose]

    /// The bytes that NIO's encoder writes for a frame.
    private func theirs(_ frame: WebSocketFrame) throws -> [UInt8] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(WebSocketFrameEncoder())
        try channel.writeOutbound(frame)
        var bytes: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
        _ = try channel.finish(acceptAlreadyClosed: true)
        return bytes
    }

    @Test(
        "is one buffer, with the bytes of NIO's encoder", arguments: [0, 1, 125, 126, 65_535, 65_536, 1 << 20],
        [nil, [0x12, 0xC3, 0x5A, 0x99]] as [WebSocketMaskingKey?])
    func oneBuffer(byteCount: Int, mask: WebSocketMaskingKey?) throws {
        let payload = ByteBuffer(bytes: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for opcode in Self.opcodes {
            for isFinal in [true, false] {
                let ours = ByteBuffer(frame: opcode, payload, mask: mask, isFinal: isFinal)
                let frame = WebSocketFrame(fin: isFinal, opcode: opcode, maskKey: mask, data: payload)
                #expect(try Array(ours.readableBytesView) == theirs(frame))
            }
        }
    }

    @Test("leaves the payload that it was made of as it was")
    func payloadStays() throws {
        let payload = ByteBuffer(bytes: [1, 2, 3])
        _ = ByteBuffer(frame: .binary, payload, mask: [9, 9, 9, 9])
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
