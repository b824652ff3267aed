internal import Edges
internal import NIOCore
internal import NIOWebSocket

/// Why a peer closes: the payload of its Close frame.
///
/// Source: RFC 6455 sections 5.5.1 and 7.4.
struct CloseReason: Equatable {
    /// The code, or `nil` if the peer gave none.
    let code: UInt16?

    private static let normal: UInt16 = 1000
    private static let goingAway: UInt16 = 1001
    private static let protocolError: UInt16 = 1002
    private static let unacceptableData: UInt16 = 1003
    private static let inconsistentData: UInt16 = 1007
    private static let messageTooLong: UInt16 = 1009

    /// Reads a payload of 0…125 bytes.
    ///
    /// - Throws: `badClose`, `badCloseText`.
    init(reading payload: ByteBuffer) throws(FramingViolation) {
        var payload = payload
        guard payload.readableBytes > 0 else {
            code = nil
            return
        }
        guard let code = payload.readInteger(as: UInt16.self), Self.maySend(code) else { throw .badClose }
        guard String(validating: payload.readableBytesView, as: UTF8.self) != nil else { throw .badCloseText }
        self.code = code
    }

    /// What the close means to the one who waits for a message. The peer's own words are not passed on.
    var error: DataChannelError {
        switch code {
        case nil, Self.normal, Self.goingAway:
            DataChannelError(.closed, reason: "the peer closed the tunnel", closeCode: code)
        case Self.protocolError, Self.unacceptableData, Self.inconsistentData:
            DataChannelError(.framingViolation, reason: "the peer refused what it was sent", closeCode: code)
        case Self.messageTooLong:
            DataChannelError(.messageTooLong, reason: "the peer refused a message as too long", closeCode: code)
        case .some(let code):
            DataChannelError(.closed, reason: "the peer closed the tunnel with code \(code)", closeCode: code)
        }
    }

    /// The codes that may stand in a frame: those that are assigned, and those that are anybody's.
    private static func maySend(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
