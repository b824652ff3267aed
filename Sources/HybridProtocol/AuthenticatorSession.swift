/// An authenticator that has answered the handshake; its first message comes next.
public struct ConnectedAuthenticator: ~Copyable, Sendable {
    /// Handshake message 2, to be sent to the client: 81 bytes.
    public let response: [UInt8]
    private var channel: SecureChannel

    init(response: [UInt8], channel: consuming SecureChannel) {
        self.response = response
        self.channel = channel
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public var handshakeHash: [UInt8] { channel.handshakeHash }

    /// Seals the first message; afterwards requests may be read.
    ///
    /// - Parameter firstMessage: what we are and can do, of the current revision.
    /// - Throws: `tooLong`, `cryptographyFailed`.
    public consuming func sendFirstMessage(
        _ firstMessage: FirstMessage
    ) throws(HybridProtocolError) -> AuthenticatorSession {
        var channel = channel
        let frame = try channel.seal(firstMessage.encoded(), Span())
        return AuthenticatorSession(channel, firstFrame: frame, features: firstMessage.features)
    }
}

/// The authenticator's end of a running session: it answers one request at a time (PROTOCOL.md 7.2).
public struct AuthenticatorSession: ~Copyable, Sendable {
    /// The sealed first message, to be sent right after handshake message 2.
    public let firstFrame: [UInt8]
    private let features: Set<FirstMessage.Feature>
    private var channel: SecureChannel
    private var requestType: MessageType?

    /// What a client may send.
    public enum Event: Sendable, Equatable {
        /// A CTAP request: the command byte, then CBOR.
        case request([UInt8])
        /// A digital-credential request: JSON.
        case jsonRequest(String)
        /// The client ends the session. An open request needs no answer any more.
        case shutdown
    }

    init(_ channel: consuming SecureChannel, firstFrame: [UInt8], features: Set<FirstMessage.Feature>) {
        self.channel = channel
        self.firstFrame = firstFrame
        self.features = features
    }

    /// Opens a frame.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: what ``FrameOpener/open(_:)`` and ``Message/init(decoding:)`` throw; `unexpectedMessage` for an update, a
    ///   second request before the first was answered, or a type that our features do not include. After any error
    ///   the session is over.
    public mutating func open(_ frame: [UInt8]) throws(HybridProtocolError) -> Event {
        let plaintext = try channel.open(frame)
        let message = try Message(decoding: plaintext.span)
        try message.checkSender(isClient: true)
        switch message {
        case .ctap(let request):
            try beginRequest(.ctap, needs: .ctap)
            return .request(request)
        case .json(let text):
            try beginRequest(.json, needs: .digitalCredentials)
            return .jsonRequest(text)
        case .shutdown, .update: return .shutdown
        }
    }

    /// Seals the answer to a CTAP request.
    ///
    /// - Parameter response: the status byte, then CBOR.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` without such a request; `tooLong`; `counterExhausted`.
    public mutating func sealResponse(_ response: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try endRequest(.ctap)
        return try channel.seal([MessageType.ctap.rawValue], response.span)
    }

    /// Seals the answer to a digital-credential request.
    ///
    /// - Parameter json: JSON text.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` without such a request; `tooLong`; `counterExhausted`.
    public mutating func sealResponse(json: String) throws(HybridProtocolError) -> [UInt8] {
        try endRequest(.json)
        return try channel.seal([MessageType.json.rawValue] + Array(json.utf8), Span())
    }

    private mutating func beginRequest(
        _ type: MessageType,
        needs feature: FirstMessage.Feature
    ) throws(HybridProtocolError) {
        guard requestType == nil else {
            throw HybridProtocolError(.unexpectedMessage, reason: "a request before the last one was answered")
        }
        guard features.contains(feature) else {
            throw HybridProtocolError(.unexpectedMessage, reason: "we do not offer \(feature.rawValue)")
        }
        requestType = type
    }

    private mutating func endRequest(_ type: MessageType) throws(HybridProtocolError) {
        guard requestType == type else {
            throw HybridProtocolError(.unexpectedMessage, reason: "an answer that fits no request")
        }
        requestType = nil
    }
}
