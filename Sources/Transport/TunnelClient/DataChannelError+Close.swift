internal import HybridProtocol
internal import HybridTransport

extension DataChannelError {
    /// The error for the one who waits for a message when the peer closes. The peer's own text is not passed on.
    ///
    /// - Parameter code: nil if the peer gave none.
    /// Source: RFC 6455 sections 5.5.1 and 7.4.
    init(closedWith code: CloseCode?) {
        let number = code?.rawValue
        switch code {
        case nil, CloseCode.normal, CloseCode.goingAway:
            self.init(.closed, reason: "the peer closed the tunnel", closeCode: number)
        case CloseCode.protocolError, CloseCode.unacceptableData, CloseCode.inconsistentData:
            self.init(.framingViolation, reason: "the peer refused what it was sent", closeCode: number)
        case CloseCode.messageTooBig:
            self.init(.messageTooLong, reason: "the peer refused a message as too long", closeCode: number)
        case .some(let code):
            self.init(.closed, reason: "the peer closed the tunnel with code \(code.rawValue)", closeCode: number)
        }
    }

    /// The error for a peer that broke a rule of the framing.
    init(_ violation: FramingViolation) {
        let code: Code =
            switch violation {
            case .tooLong: .messageTooLong
            // A tunnel service may pass on what the other device has sent.
            case .text, .emptyMessage: .framingViolation
            default: .webSocketViolation
            }
        self.init(code, reason: violation.rawValue)
    }
}
