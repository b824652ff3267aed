internal import HybridProtocol
internal import NIOHTTP1

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
                + Self.meaning(of: status, answering: Request(target)),
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

    /// The request that was refused, by its path: a status means something else to each.
    private enum Request {
        /// An authenticator opens a tunnel.
        case new
        /// A client, or a woken authenticator, joins one.
        case connect
        /// A client asks for its linked authenticator.
        case contact
        /// An authenticator waits for linked clients.
        case listen
        /// Another path, after a redirect.
        case other

        init(_ target: String) {
            self =
                switch target {
                case _ where target.hasPrefix(TunnelPath.newPrefix): .new
                case _ where target.hasPrefix(TunnelPath.connectPrefix): .connect
                case _ where target.hasPrefix(TunnelPath.contactPrefix): .contact
                case _ where target.hasPrefix(TunnelPath.listen): .listen
                default: .other
                }
        }
    }

    private static func meaning(of status: HTTPResponseStatus, answering request: Request) -> String {
        switch (status, request) {
        case (.badRequest, _): "it considers the request malformed"
        case (.unauthorized, _), (.proxyAuthenticationRequired, _): "it asks for a password"
        case (.forbidden, _): "it does not serve this name, or does not admit this device"
        case (.notFound, .new): "it opens no tunnels at this path, and may be no tunnel service"
        case (.notFound, .connect):
            "it knows no such tunnel: the other device has left, came too long ago, or uses another tunnel service"
        case (.notFound, .contact): "it reaches no linked devices, or does not know this one"
        case (.notFound, .listen): "it wakes no authenticators"
        case (.notFound, .other): "it has nothing at this path, and may be no tunnel service"
        case (.methodNotAllowed, _): "it does not accept the request's method"
        case (.requestTimeout, _): "it waited too long for the request"
        case (.conflict, _): "another device has taken the tunnel already"
        case (.gone, .connect): "the tunnel is gone: the other device has left"
        case (.gone, .contact): "the link has ended: it was revoked, or the service no longer has its secret"
        case (.gone, _): "it no longer serves this path, and may be no tunnel service"
        case (.imATeapot, _): "the client came too late for this tunnel"
        case (.upgradeRequired, _): "it requires another version of WebSocket"
        case (.requestHeaderFieldsTooLarge, _): "it considers the request too long"
        case (.tooManyRequests, _): "it received too many requests"
        case (.internalServerError, _): "it failed"
        case (.badGateway, _), (.gatewayTimeout, _): "the server behind it failed"
        case (.networkAuthenticationRequired, _): "the network has a captive portal: sign in to it first"
        case (.serviceUnavailable, .contact): "the linked device does not listen, or the service is overloaded"
        case (.serviceUnavailable, _): "it is overloaded or under maintenance"
        default: Self.meaning(ofClass: status.code)
        }
    }

    private static func meaning(ofClass code: UInt) -> String {
        switch code {
        case 100..<200: "it requires another protocol"
        case 200..<300: "it is a web server, not a tunnel service, or a captive portal"
        case 300..<400: "it redirects in a way that is not followed"
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
            self.init(.framingViolation, reason: "the peer refused the data that it was sent", closeCode: number)
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
            // A tunnel service may pass on frames of the other device.
            case .text, .emptyMessage: .framingViolation
            default: .webSocketViolation
            }
        self.init(code, reason: violation.rawValue)
    }
}
