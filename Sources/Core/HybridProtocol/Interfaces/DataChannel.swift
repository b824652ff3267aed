/// A way to carry whole protocol messages between the two ends of a hybrid session.
///
/// CTAP 2.3 section 11.5.1.1 names two: a WebSocket through a tunnel service, and an L2CAP channel. The transport above
/// sees neither: one ``send(_:)`` is one message, and one ``receive()`` is one message, in order and unaltered. Of a
/// channel that does not keep messages whole (``keepsMessagesWhole``), the same is true of pieces instead. A channel
/// carries ciphertext only and gives no secrecy of its own.
///
/// Cancelling a task that sends or receives ends that at once with ``DataChannelError/Code-swift.struct/cancelled``,
/// and the channel is then of no more use. One task at a time may receive.
package protocol DataChannel: Sendable {
    /// True if bytes sent at once are received at once. If not, ``send(_:)`` takes bytes with whatever marks their end,
    /// and ``receive()`` gives pieces of 1 byte or more. The channel cannot join them: a message ends where it
    /// decrypts.
    var keepsMessagesWhole: Bool { get }

    /// Sends one message and returns when the channel has taken it, which is how a slow peer slows its sender.
    ///
    /// - Parameter message: 1 byte or more; an empty message is a violation of the protocol (HT-TUN-60).
    /// - Throws: ``DataChannelError``. After any error the channel is of no more use.
    func send(_ message: [UInt8]) async throws(DataChannelError)

    /// Sends messages one after another; if the channel can, in one go, so that the peer has them all at once.
    ///
    /// - Parameter messages: each 1 byte or more.
    /// - Throws: ``DataChannelError``. After any error the channel is of no more use.
    func send(contentsOf messages: [[UInt8]]) async throws(DataChannelError)

    /// Waits for the next whole message.
    ///
    /// Messages that arrived before the peer closed are handed out before the close is reported.
    ///
    /// - Returns: 1 byte or more.
    /// - Throws: ``DataChannelError``; `closed` when the peer closed the channel cleanly.
    func receive() async throws(DataChannelError) -> [UInt8]

    /// The messages that have come, counted; zeros where the system holds them until they are received.
    ///
    /// They tell which messages had come before a request was sent, and therefore answer nothing (HT-MSG-23).
    var counts: MessageCounts { get }

    /// Closes the channel cleanly and returns when nothing of it is left, within seconds whatever the peer does.
    ///
    /// A task that still sends or receives gets ``DataChannelError/Code-swift.struct/closed``. Closing twice is
    /// harmless, and closing works in a cancelled task too.
    func close() async

    /// Sends a last message and closes the channel likewise, whether or not the message could be sent; if the channel
    /// can, in one go.
    ///
    /// - Parameter last: 1 byte or more.
    func close(after last: [UInt8]) async
}

extension DataChannel {
    /// True, as of a WebSocket.
    package var keepsMessagesWhole: Bool { true }

    /// Sends one after another.
    package func send(contentsOf messages: [[UInt8]]) async throws(DataChannelError) {
        for message in messages { try await send(message) }
    }

    /// Sends it, then closes.
    package func close(after last: [UInt8]) async {
        // A channel that no longer takes it is only to be closed.
        try? await send(last)
        await close()
    }

    /// Zeros, as of a channel that leaves messages with the system until they are received.
    package var counts: MessageCounts { MessageCounts(received: 0, beforeLatestSend: 0) }
}

/// Numbers of the messages that have come on a channel since it was opened; where messages are not kept whole, of the
/// pieces.
///
/// Source: our own; it serves the rule that one request has one answer (HT-MSG-23).
package struct MessageCounts: Sendable, Hashable {
    /// Number of the messages that were received.
    package let received: Int
    /// Number of the messages that had come, received or not, when the latest message was sent; 0 before the first.
    package let beforeLatestSend: Int

    /// Makes the counts.
    package init(received: Int, beforeLatestSend: Int) {
        self.received = received
        self.beforeLatestSend = beforeLatestSend
    }
}

/// Failure of a ``DataChannel`` that could not be opened or used any longer.
///
/// Two errors are equal if their codes are: ``reason`` is for people.
package struct DataChannelError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, as an open set of names.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens, as it stands in `--json` output.
        package let rawValue: String

        /// Makes a code from its name.
        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// The reason, for people: lower case, one line, without secrets.
    package let reason: String
    /// The status code that the tunnel service answered with, where it answered with one: 100…599.
    package let httpStatus: Int?
    /// The time after which the tunnel service wants to be asked again, where it said so.
    package let retryAfter: Duration?
    /// The code with which the peer closed a WebSocket, where it gave one: 1000…4999.
    package let closeCode: UInt16?
    /// The fault of TLS, where ``code`` is ``Code/tlsFailed`` and that is known.
    package let tlsFault: TLSFault?
    /// True if the proxy demands an authentication scheme that is not supported, so that no password helps.
    package let hasUnsupportedProxyScheme: Bool
    /// The place in our sources that made the error.
    package let place: SourcePlace

    /// Fault in the TLS of a tunnel service.
    package enum TLSFault: Sendable, Hashable {
        /// The certificate is for another name.
        case otherName
        /// The certificate has expired, is not valid yet, or is signed by an authority that is not trusted here.
        case untrusted
        /// There was no handshake: the server speaks no TLS, or no version that is taken here.
        case noHandshake
    }

    /// Makes an error.
    package init(
        _ code: Code, reason: String, httpStatus: Int? = nil, retryAfter: Duration? = nil, closeCode: UInt16? = nil,
        tlsFault: TLSFault? = nil, hasUnsupportedProxyScheme: Bool = false, fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        place = SourcePlace(fileID: fileID, line: line)
        self.tlsFault = tlsFault
        self.hasUnsupportedProxyScheme = hasUnsupportedProxyScheme
        self.code = code
        self.reason = reason
        self.httpStatus = httpStatus
        self.retryAfter = retryAfter
        self.closeCode = closeCode
    }

    /// True if both errors have the same code.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    package var description: String { "\(code.rawValue): \(reason)" }
}

extension DataChannelError.Code {
    /// The peer, or we, closed the channel cleanly.
    package static let closed = Self(rawValue: "closed")
    /// The connection ended without a close, or in the middle of a message.
    package static let connectionLost = Self(rawValue: "connection-lost")
    /// The task that waited was cancelled.
    package static let cancelled = Self(rawValue: "cancelled")
    /// A time limit of the channel passed: connecting, upgrading, or no keep-alive from the peer.
    package static let timeout = Self(rawValue: "timeout")
    /// The address could not be understood or must not be used.
    package static let invalidURL = Self(rawValue: "invalid-url")
    /// The name could not be resolved, or nothing answered there.
    package static let unreachable = Self(rawValue: "unreachable")
    /// The proxy could not be reached, asks for a password, or did not connect to the server.
    package static let proxyFailed = Self(rawValue: "proxy-failed")
    /// The TLS handshake failed: most often, the certificate is not trusted.
    package static let tlsFailed = Self(rawValue: "tls-failed")
    /// The peer answered with something that is not a WebSocket upgrade of the protocol `fido.cable`.
    package static let upgradeRefused = Self(rawValue: "upgrade-refused")
    /// The tunnel service answered 410: on `contact`, the link is gone for good.
    package static let gone = Self(rawValue: "gone")
    /// The tunnel service answered 503: on `contact`, the authenticator cannot be reached now, or the service itself
    /// has no capacity. The link stays valid.
    package static let unavailable = Self(rawValue: "unavailable")
    /// The tunnel service answered 429: on `contact`, the authenticator is woken too often. The link stays valid.
    package static let tooManyRequests = Self(rawValue: "too-many-requests")
    /// The tunnel service did not select the subprotocol `fido.cable`.
    package static let subprotocolMissing = Self(rawValue: "subprotocol-missing")
    /// More redirects than allowed, a redirect in a circle, or one to a weaker scheme.
    package static let redirectRefused = Self(rawValue: "redirect-refused")
    /// A message longer than the limit, in either direction.
    package static let messageTooLong = Self(rawValue: "message-too-long")
    /// A text message, an empty message, or bytes that break the channel's framing.
    package static let framingViolation = Self(rawValue: "framing-violation")
    /// Frames that break a rule of the WebSocket itself: the tunnel service makes them, whatever the other device
    /// sends.
    package static let webSocketViolation = Self(rawValue: "web-socket-violation")
}
