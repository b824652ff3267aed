internal import NIOCore
internal import NIOWebSocket

/// Joins a server's frames to messages, and refuses what RFC 6455 section 5 and PROTOCOL.md 5.4 forbid.
///
/// NIO's aggregator would do, but for its limits: it bounds the number of fragments and not their sum alone, and its
/// errors do not tell which rule was broken.
struct FrameJoiner {
    /// What a frame amounts to.
    enum Event: Equatable {
        /// A whole binary message of 1 byte or more.
        case message([UInt8])
        /// Part of a message, or a pong: nothing to do.
        case nothing
        /// To be answered with a pong of the same 0…125 bytes.
        case ping(ByteBuffer)
        /// The peer closes.
        case close(CloseReason)
    }

    private let messageLimit: Int
    private var message: [UInt8] = []
    private var hasBegun = false

    /// - Parameter messageLimit: the longest message, in bytes, joined.
    init(messageLimit: Int) { self.messageLimit = messageLimit }

    /// Takes the next frame, whose control frames NIO's decoder has found to be whole and at most 125 bytes long.
    mutating func join(_ frame: WebSocketFrame) throws(FramingViolation) -> Event {
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else { throw .reservedBits }
        guard frame.maskKey == nil else { throw .masked }
        switch frame.opcode {
        case .binary: return try begin(frame)
        case .continuation: return try resume(frame)
        case .text: throw .text
        case .ping: return .ping(frame.data)
        case .pong: return .nothing
        case .connectionClose: return .close(try CloseReason(reading: frame.data))
        default: throw .reservedOpcode
        }
    }

    private mutating func begin(_ frame: WebSocketFrame) throws(FramingViolation) -> Event {
        guard !hasBegun else { throw .interrupted }
        return try append(frame)
    }

    private mutating func resume(_ frame: WebSocketFrame) throws(FramingViolation) -> Event {
        guard hasBegun else { throw .continuesNothing }
        return try append(frame)
    }

    private mutating func append(_ frame: WebSocketFrame) throws(FramingViolation) -> Event {
        guard frame.data.readableBytes <= messageLimit - message.count else { throw .tooLong }
        message.append(contentsOf: frame.data.readableBytesView)
        hasBegun = !frame.fin
        guard frame.fin else { return .nothing }
        guard !message.isEmpty else { throw .emptyMessage }
        defer { message = [] }
        return .message(message)
    }
}
