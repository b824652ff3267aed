/// Failure of a ``DataChannel`` that could not be opened or used any longer.
///
/// Two errors are equal if their codes are: ``reason`` is for people.
public struct DataChannelError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens, as it stands in `--json` output.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The reason, for people: lower case, one line, without secrets.
    public let reason: String
    /// The status code that the tunnel service answered with, where it answered with one: 100…599.
    public let httpStatus: Int?
    /// The time after which the tunnel service wants to be asked again, where it said so.
    public let retryAfter: Duration?
    /// The code with which the peer closed a WebSocket, where it gave one: 1000…4999.
    public let closeCode: UInt16?
    /// The fault of TLS, where ``code`` is ``Code/tlsFailed`` and that is known.
    public let tlsFault: TLSFault?
    /// The place in our sources that made the error.
    public let place: SourcePlace

    /// Fault in the TLS of a tunnel service.
    public enum TLSFault: Sendable, Hashable {
        /// The certificate is for another name.
        case otherName
        /// The certificate has expired, is not valid yet, or is signed by an authority that is not trusted here.
        case untrusted
        /// There was no handshake: what answers speaks no TLS, or no version that is taken here.
        case noHandshake
    }

    /// Makes an error.
    public init(
        _ code: Code, reason: String, httpStatus: Int? = nil, retryAfter: Duration? = nil, closeCode: UInt16? = nil,
        tlsFault: TLSFault? = nil, fileID: StaticString = #fileID, line: Int = #line
    ) {
        place = SourcePlace(fileID: fileID, line: line)
        self.tlsFault = tlsFault
        self.code = code
        self.reason = reason
        self.httpStatus = httpStatus
        self.retryAfter = retryAfter
        self.closeCode = closeCode
    }

    /// True if both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension DataChannelError.Code {
    /// The peer, or we, closed the channel cleanly.
    public static let closed = Self(rawValue: "closed")
    /// The connection ended without a close, or in the middle of a message.
    public static let connectionLost = Self(rawValue: "connection-lost")
    /// The task that waited was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A time limit of the channel passed: connecting, upgrading, or no keep-alive from the peer.
    public static let timeout = Self(rawValue: "timeout")
    /// The address could not be understood or must not be used.
    public static let invalidURL = Self(rawValue: "invalid-url")
    /// The name could not be resolved, or nothing answered there.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The TLS handshake failed: most often, the certificate is not trusted.
    public static let tlsFailed = Self(rawValue: "tls-failed")
    /// The peer answered with something that is not a WebSocket upgrade of the protocol `fido.cable`.
    public static let upgradeRefused = Self(rawValue: "upgrade-refused")
    /// The tunnel service answered 410: on `contact`, the link is gone for good.
    public static let gone = Self(rawValue: "gone")
    /// The tunnel service answered 503: on `contact`, the authenticator cannot be reached now, or the service itself
    /// has no capacity. The link stays valid.
    public static let unavailable = Self(rawValue: "unavailable")
    /// The tunnel service answered 429: on `contact`, the authenticator is woken too often. The link stays valid.
    public static let tooManyRequests = Self(rawValue: "too-many-requests")
    /// The tunnel service did not select the subprotocol `fido.cable`.
    public static let subprotocolMissing = Self(rawValue: "subprotocol-missing")
    /// More redirects than allowed, a redirect in a circle, or one to a weaker scheme.
    public static let redirectRefused = Self(rawValue: "redirect-refused")
    /// A message longer than the limit, in either direction.
    public static let messageTooLong = Self(rawValue: "message-too-long")
    /// A text message, an empty message, or bytes that break the channel's framing.
    public static let framingViolation = Self(rawValue: "framing-violation")
    /// Frames that break a rule of the WebSocket itself: the tunnel service makes them, whatever the other device
    /// sends.
    public static let webSocketViolation = Self(rawValue: "web-socket-violation")
}
