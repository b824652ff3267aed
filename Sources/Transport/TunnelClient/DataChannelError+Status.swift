internal import HybridProtocol
internal import NIOHTTP1
internal import TransportInterfaces

extension DataChannelError {
    /// The error for an answer with which a tunnel service refuses (HT-TUN-36, HT-STA-8): `gone` for 410,
    /// `unavailable` for 503, `tooManyRequests` for 429, otherwise `upgradeRefused`.
    ///
    /// - Parameter target: the path that was asked for. Who opens a tunnel cannot mean one that is not there.
    init(refusedWith head: HTTPResponseHead, to target: String) {
        let status = head.status
        let code: Code =
            switch status {
            case .gone: .gone
            case .serviceUnavailable: .unavailable
            case .tooManyRequests: .tooManyRequests
            default: .upgradeRefused
            }
        self.init(
            code,
            reason:
                "the tunnel service answered \(status.code): "
                + Self.meaning(of: status, opening: target.hasPrefix(Self.newTunnelPath)),
            httpStatus: Int(status.code),
            retryAfter: Self.retryAfter(head.headers)
        )
    }

    /// A longer wait is cut to a day.
    private static let longestRetryAfter = 86_400

    /// The seconds of a `Retry-After` header (RFC 9110 section 10.2.3). One that names a date is passed over: it would
    /// mean something else on each clock.
    private static func retryAfter(_ headers: HTTPHeaders) -> Duration? {
        let values = headers["Retry-After"]
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let value = values.first, values.count == 1, !value.isEmpty, value.utf8.allSatisfy(digits.contains) else {
            return nil
        }
        return .seconds(min(Int(value) ?? longestRetryAfter, longestRetryAfter))
    }

    private static let newTunnelPath = "/cable/new/"

    private static func meaning(of status: HTTPResponseStatus, opening: Bool) -> String {
        switch status {
        case .notFound where opening: "it opens no tunnels at this path, and may be no tunnel service"
        case .badRequest: "it takes the request for malformed"
        case .unauthorized, .proxyAuthenticationRequired: "it asks for a password"
        case .forbidden: "it forbids the request, perhaps for its Origin"
        case .notFound: "it knows no such tunnel: the other device has left, or came too long ago"
        case .methodNotAllowed: "it does not take the request's method"
        case .requestTimeout: "it waited too long for the request"
        case .conflict: "another device has taken the tunnel already"
        case .gone: "the link is dead for good"
        case .imATeapot: "the client came too late for this tunnel"
        case .upgradeRequired: "it wants another version of WebSocket"
        case .requestHeaderFieldsTooLarge: "it takes the request for too long"
        case .tooManyRequests: "it had too many requests"
        case .internalServerError: "it failed"
        case .badGateway, .gatewayTimeout: "the server behind it failed"
        case .networkAuthenticationRequired: "the network wants you to sign in at its page first"
        case .serviceUnavailable: "what was asked for cannot be reached now, or it is overloaded or being repaired"
        default: Self.meaning(ofClass: status.code)
        }
    }

    private static func meaning(ofClass code: UInt) -> String {
        switch code {
        case 100..<200: "it wants another protocol"
        case 200..<300: "it is a web server, not a tunnel service, or the sign-in page of a guest network"
        case 300..<400: "it points elsewhere in a way that is not followed"
        case 400..<500: "it refuses the request"
        case 500..<600: "it failed"
        default: "a status that HTTP does not have"
        }
    }
}

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
