import NIOCore
import NIOWebSocket

/// Decodes a WebSocket's frames, so many at a time.
struct FramePortions: InboundPortions {
    /// The most frames of a portion.
    static let largest = 32

    private let decoder: WebSocketFrameDecoder

    /// Decodes frames with at most so many bytes of payload.
    init(maximumFrameBytes: Int) { decoder = WebSocketFrameDecoder(maxFrameSize: maximumFrameBytes) }

    func handOn(from bytes: inout ByteBuffer, in context: ChannelHandlerContext) throws -> Bool {
        for _ in 0..<Self.largest {
            guard case .continue = try decoder.decode(context: context, buffer: &bytes) else { return false }
        }
        return bytes.readableBytes > 0
    }
}
