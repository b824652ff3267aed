import NIOCore
import NIOWebSocket

/// Joins the frames of one side into whole messages, and refuses what RFC 6455 and PROTOCOL.md 5.4 forbid.
///
/// It holds at most one unfinished message, of at most the allowed length.
struct FrameJoiner {
    /// What a frame amounts to.
    enum Event: Equatable {
        /// A whole binary message, unmasked; never empty.
        case message(ByteBuffer)
        /// A part of a message; more must follow.
        case partial
        /// A ping with its payload, unmasked: at most 125 bytes.
        case ping(ByteBuffer)
        /// A pong; it needs no answer.
        case pong
        /// A Close frame with its payload, unmasked: at most 125 bytes.
        case close(ByteBuffer)
        /// The frame breaks a rule: close with this code.
        case violation(CloseCode)
    }

    /// The longest message, bytes.
    let maximumMessageBytes: Int

    private var unfinished: ByteBuffer?

    /// Makes a joiner for messages of at most `maximumMessageBytes` bytes.
    init(maximumMessageBytes: Int) { self.maximumMessageBytes = maximumMessageBytes }

    /// The bytes of the unfinished message.
    var heldBytes: Int { unfinished?.readableBytes ?? 0 }

    /// Takes the next frame. After a violation nothing more may be fed.
    mutating func join(_ frame: WebSocketFrame) -> Event {
        // A client must mask (RFC 6455 section 5.1), and no extension is agreed that could use the reserved bits.
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return .violation(.protocolError) }
        return switch frame.opcode {
        case .binary: first(frame)
        case .continuation: next(frame)
        case .text: .violation(.unacceptableData)
        case .ping: .ping(frame.unmaskedData)
        case .pong: .pong
        case .connectionClose: .close(frame.unmaskedData)
        default: .violation(.protocolError)
        }
    }

    private mutating func first(_ frame: WebSocketFrame) -> Event {
        guard unfinished == nil else { return .violation(.protocolError) }
        guard frame.length <= maximumMessageBytes else { return .violation(.messageTooBig) }
        guard frame.fin else {
            unfinished = frame.unmaskedData
            return .partial
        }
        return finished(frame.unmaskedData)
    }

    private mutating func next(_ frame: WebSocketFrame) -> Event {
        guard var message = unfinished else { return .violation(.protocolError) }
        guard message.readableBytes + frame.length <= maximumMessageBytes else { return .violation(.messageTooBig) }
        unfinished = nil
        message.writeImmutableBuffer(frame.unmaskedData)
        guard frame.fin else {
            unfinished = message
            return .partial
        }
        return finished(message)
    }

    private func finished(_ message: ByteBuffer) -> Event {
        message.readableBytes == 0 ? .violation(.protocolError) : .message(message)
    }
}
