import NIOCore
import NIOWebSocket

/// A status code of a WebSocket Close frame (RFC 6455 section 7.4), and how one is passed to the other end of a tunnel.
///
/// Codes that an endpoint may send are relayed as they are. A Close without a code is relayed as 1000, and the loss of
/// a connection without a Close as 1001: 1005 and 1006 must not be sent. The reason text is not relayed.
struct CloseCode: RawRepresentable, Sendable, Equatable {
    /// The number on the wire.
    let rawValue: UInt16

    /// Done.
    static let normal = CloseCode(rawValue: 1000)
    /// The other end, or the service, goes away.
    static let goingAway = CloseCode(rawValue: 1001)
    /// A frame that RFC 6455 or PROTOCOL.md 5.4 does not allow.
    static let protocolError = CloseCode(rawValue: 1002)
    /// A text message.
    static let unacceptableData = CloseCode(rawValue: 1003)
    /// Text that is not UTF-8, in the reason of a Close.
    static let inconsistentData = CloseCode(rawValue: 1007)
    /// A limit on the number or the bytes of messages.
    static let policyViolation = CloseCode(rawValue: 1008)
    /// A message longer than the limit.
    static let messageTooBig = CloseCode(rawValue: 1009)
    /// Something of the service failed.
    static let internalError = CloseCode(rawValue: 1011)
    /// The service has no memory left to hold messages in.
    static let tryAgainLater = CloseCode(rawValue: 1013)

    private static let byteCount = 2

    /// Whether an endpoint may send this code: those that RFC 6455 and its registry define, and 3000–4999.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// What a Close frame's payload of up to 125 bytes says.
    enum Reading: Equatable {
        /// A code to relay.
        case code(CloseCode)
        /// The payload breaks a rule; answer with this code.
        case violation(CloseCode)
    }

    /// Reads the payload of a Close frame, unmasked.
    static func read(_ payload: ByteBuffer) -> Reading {
        var payload = payload
        if payload.readableBytes == 0 { return .code(.normal) }
        guard let number = payload.readInteger(as: UInt16.self) else { return .violation(.protocolError) }
        let code = CloseCode(rawValue: number)
        guard code.isSendable else { return .violation(.protocolError) }
        guard String(validating: payload.readableBytesView, as: UTF8.self) != nil else {
            return .violation(.inconsistentData)
        }
        return .code(code)
    }

    /// A Close frame with this code and no reason.
    func frame(allocator: ByteBufferAllocator) -> WebSocketFrame {
        var payload = allocator.buffer(capacity: Self.byteCount)
        payload.writeInteger(rawValue)
        return WebSocketFrame(fin: true, opcode: .connectionClose, data: payload)
    }
}
