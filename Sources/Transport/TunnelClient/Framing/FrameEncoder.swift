package import NIOCore
package import NIOWebSocket

/// Writes each frame as one buffer, its head and its payload together (RFC 6455 section 5.2).
///
/// NIO's encoder writes them apart. Under TLS that is two records a message, and often two packets; a peer that expects
/// a whole frame of each read then fails.
package final class FrameEncoder: ChannelOutboundHandler {
    package typealias OutboundIn = WebSocketFrame
    package typealias OutboundOut = ByteBuffer

    private enum Bit {
        static let final: UInt8 = 0x80
        static let mask: UInt8 = 0x80
    }

    private enum LengthByte {
        static let medium: UInt8 = 126
        static let long: UInt8 = 127
    }

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = Self.encode(unwrapOutboundIn(data), context.channel.allocator)
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    /// The bytes of a frame, masked if it has a key. It uses no reserved bit and has no extension's data.
    private static func encode(_ frame: WebSocketFrame, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        let payload = frame.data
        let headLength = FrameLength.head(payload: payload.readableBytes, isMasked: frame.maskKey != nil)
        var bytes = allocator.buffer(capacity: headLength + payload.readableBytes)
        // The payload first, at its place: the mask goes over all that is readable.
        bytes.moveWriterIndex(to: headLength)
        bytes.moveReaderIndex(to: headLength)
        bytes.writeImmutableBuffer(payload)
        if let key = frame.maskKey { bytes.webSocketMask(key) }
        bytes.moveReaderIndex(to: 0)
        setHead(of: frame, in: &bytes)
        return bytes
    }

    private static func setHead(of frame: WebSocketFrame, in bytes: inout ByteBuffer) {
        let mask = frame.maskKey == nil ? 0 : Bit.mask
        let length = frame.data.readableBytes
        var index = bytes.setInteger((frame.fin ? Bit.final : 0) | UInt8(webSocketOpcode: frame.opcode), at: 0)
        switch length {
        case ...FrameLength.longestShortPayload:
            index += bytes.setInteger(mask | UInt8(length), at: index)
        case ...Int(UInt16.max):
            index += bytes.setInteger(mask | LengthByte.medium, at: index)
            index += bytes.setInteger(UInt16(length), at: index)
        default:
            index += bytes.setInteger(mask | LengthByte.long, at: index)
            index += bytes.setInteger(UInt64(length), at: index)
        }
        if let key = frame.maskKey { bytes.setBytes(key, at: index) }
    }
}
