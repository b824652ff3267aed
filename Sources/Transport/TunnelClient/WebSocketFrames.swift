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

extension ByteBuffer {
    private enum Bit {
        static let final: UInt8 = 0x80
        static let mask: UInt8 = 0x80
    }

    private enum LengthByte {
        static let medium: UInt8 = 126
        static let long: UInt8 = 127
    }

    /// The bytes of a frame, which uses no reserved bit and has no extension's data.
    ///
    /// NIO's encoder writes a head and a payload apart. Under TLS that is two records a message, and often two packets;
    /// a peer that expects a whole frame of each read then fails.
    ///
    /// - Parameters:
    ///   - opcode: the frame's opcode.
    ///   - payload: the payload, which stays as it is.
    ///   - mask: the key by which a client masks the payload.
    ///   - isFinal: the bit FIN.
    package init(
        frame opcode: WebSocketOpcode, _ payload: ByteBuffer, mask: WebSocketMaskingKey? = nil, isFinal: Bool = true
    ) {
        let headLength = FrameLength.head(payload: payload.readableBytes, isMasked: mask != nil)
        self = ByteBufferAllocator().buffer(capacity: headLength + payload.readableBytes)
        // The payload first, at its place: the mask goes over all that is readable.
        moveWriterIndex(to: headLength)
        moveReaderIndex(to: headLength)
        writeImmutableBuffer(payload)
        if let mask { webSocketMask(mask) }
        moveReaderIndex(to: 0)
        setInteger((isFinal ? Bit.final : 0) | UInt8(webSocketOpcode: opcode), at: 0)
        setLength(payload.readableBytes, mask)
    }

    private mutating func setLength(_ length: Int, _ mask: WebSocketMaskingKey?) {
        let bit = mask == nil ? 0 : Bit.mask
        var index = 1
        switch length {
        case ...FrameLength.longestShortPayload:
            index += setInteger(bit | UInt8(length), at: index)
        case ...Int(UInt16.max):
            index += setInteger(bit | LengthByte.medium, at: index)
            index += setInteger(UInt16(length), at: index)
        default:
            index += setInteger(bit | LengthByte.long, at: index)
            index += setInteger(UInt64(length), at: index)
        }
        if let mask { setBytes(mask, at: index) }
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
