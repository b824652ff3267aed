/// A rule of the WebSocket, or of the hybrid transport's use of it, that the peer has broken.
///
/// Source: RFC 6455 section 5; HT-TUN-59, HT-TUN-60, HT-TUN-61, HT-TUN-64 to HT-TUN-76.
package enum FramingViolation: String, Error, Equatable {
    case reservedBits = "a frame uses reserved bits"
    case reservedOpcode = "a frame has a reserved opcode"
    case masked = "a server's frame is masked"
    case unmasked = "a client's frame is not masked"
    case interrupted = "a message begins inside another"
    case continuesNothing = "a frame continues a message that did not begin"
    case badControlFrame = "a control frame is fragmented or too long"
    case badClose = "a close frame has a code that must not be sent, or half of one"
    case badCloseText = "a close frame's reason is not UTF-8"
    case text = "a text message came; only binary ones may"
    case emptyMessage = "an empty message came"
    case tooLong = "a message is longer than the limit"
    case tooManyFragments = "a message is divided into more frames than the limit"

    /// The code of the Close frame that tells the peer (RFC 6455 section 7.4.1).
    package var closeCode: CloseCode {
        switch self {
        case .text: .unacceptableData
        case .badCloseText: .inconsistentData
        case .tooLong: .messageTooBig
        case .tooManyFragments: .policyViolation
        default: .protocolError
        }
    }
}
