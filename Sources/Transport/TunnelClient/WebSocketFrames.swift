package import HybridProtocol
package import NIOCore
package import NIOWebSocket

// Frames of a WebSocket, as NIO has them: joined to messages, written, and their length (RFC 6455 section 5.2).

extension FrameJoiner<ByteBufferView> {
    /// Takes the next frame of a WebSocket, as its decoder gives it.
    package mutating func join(_ frame: WebSocketFrame) throws(FramingViolation) -> Event {
        try join(
            Frame(
                opcode: UInt8(webSocketOpcode: frame.opcode), isFinal: frame.fin, isMasked: frame.maskKey != nil,
                usesReservedBits: frame.rsv1 || frame.rsv2 || frame.rsv3,
                payload: frame.unmaskedData.readableBytesView))
    }
}

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

/// The length of WebSocket frames on the wire (RFC 6455 section 5.2).
package enum FrameLength {
    private static let shortHead = 2
    private static let maskingKey = 4
    private static let mediumLengthField = 2
    private static let longLengthField = 8

    /// The longest payload whose length stands in the head's second byte, and of a control frame (section 5.5).
    package static let longestShortPayload = 125

    /// The bytes of a frame's head in its shortest encoding.
    package static func head(payload: Int, isMasked: Bool) -> Int {
        let lengthField =
            switch payload {
            case ...longestShortPayload: 0
            case ...Int(UInt16.max): mediumLengthField
            default: longLengthField
            }
        return shortHead + lengthField + (isMasked ? maskingKey : 0)
    }

    /// The bytes of a masked frame in its shortest encoding.
    package static func masked(payload: Int) -> Int { head(payload: payload, isMasked: true) + payload }
}
