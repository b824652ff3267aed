/// A client that has finished the handshake and waits for the authenticator's first message.
public struct ConnectedClient: ~Copyable, Sendable {
    private var channel: SecureChannel

    init(_ channel: consuming SecureChannel) { self.channel = channel }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public var handshakeHash: [UInt8] { channel.handshakeHash }

    /// Reads the first message; afterwards requests may be sent.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: what ``FrameOpener/open(_:)`` and ``FirstMessage/init(decoding:)`` throw.
    public consuming func readFirstMessage(_ frame: [UInt8]) throws(HybridProtocolError) -> ClientSession {
        var channel = channel
        let plaintext = try channel.open(frame)
        return ClientSession(channel, firstMessage: try FirstMessage(decoding: plaintext.span))
    }
}

/// The client's end of a running session: one request at a time, each with its answer (PROTOCOL.md 7.2).
public struct ClientSession: ~Copyable, Sendable {
    /// What the authenticator is and can do.
    public let firstMessage: FirstMessage
    private var channel: SecureChannel
    private var requestType: MessageType?

    /// What an authenticator may send after its first message.
    public enum Event: Sendable, Equatable {
        /// The answer to our request: a CTAP status byte, then CBOR.
        case response([UInt8])
        /// The answer to our request: JSON.
        case jsonResponse(String)
        /// Something beside the requests. The request, if there is one, is still open.
        case update(Update)
        /// The authenticator is done with us. Not meant to be sent, but webauthn-rs does.
        case shutdown
    }

    init(_ channel: consuming SecureChannel, firstMessage: FirstMessage) {
        self.channel = channel
        self.firstMessage = firstMessage
    }

    /// Seals a CTAP request.
    ///
    /// - Parameter request: the command byte, then CBOR.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` while another request is open, or if the session carries no CTAP; `empty`; `tooLong`.
    public mutating func sealRequest(_ request: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try beginRequest(.ctap, needs: .ctap)
        guard !request.isEmpty else { throw HybridProtocolError(.empty, reason: "a CTAP request without contents") }
        return try seal(.ctap, request.span)
    }

    /// Seals a digital-credential request.
    ///
    /// - Parameter json: JSON text.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` while another request is open, or if the session carries no digital credentials;
    ///   `tooLong`.
    public mutating func sealRequest(json: String) throws(HybridProtocolError) -> [UInt8] {
        try beginRequest(.json, needs: .digitalCredentials)
        let text = Array(json.utf8)
        return try seal(.json, text.span)
    }

    /// Opens a frame.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: what ``FrameOpener/open(_:)`` and ``Message/init(decoding:)`` throw; `unexpectedMessage` for an answer to
    ///   no request, or of another type than the request. After any error the session is over.
    public mutating func open(_ frame: [UInt8]) throws(HybridProtocolError) -> Event {
        let plaintext = try channel.open(frame)
        let message: Message
        switch firstMessage.revision {
        case .typed: message = try Message(decoding: plaintext.span)
        case .padded:
            guard !plaintext.isEmpty else { throw HybridProtocolError(.empty, reason: "an answer without contents") }
            message = .ctap(plaintext)
        }
        switch message {
        case .ctap(let response):
            try endRequest(.ctap)
            return .response(response)
        case .json(let text):
            try endRequest(.json)
            return .jsonResponse(text)
        case .update(let payload): return .update(try Update(decoding: payload.span))
        case .shutdown: return .shutdown
        }
    }

    /// Seals the shutdown that ends the session.
    ///
    /// - Returns: the frame to send; nil in revision 0, which knows no shutdown: there the client just closes.
    /// - Throws: `counterExhausted`, `cryptographyFailed`.
    public mutating func sealShutdown() throws(HybridProtocolError) -> [UInt8]? {
        guard firstMessage.revision == .typed else { return nil }
        return try seal(.shutdown, Span())
    }

    private mutating func seal(_ type: MessageType, _ payload: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        try channel.seal(firstMessage.revision == .typed ? [type.rawValue] : [], payload)
    }

    private mutating func beginRequest(
        _ type: MessageType,
        needs feature: FirstMessage.Feature
    ) throws(HybridProtocolError) {
        guard requestType == nil else {
            throw HybridProtocolError(.unexpectedMessage, reason: "one request at a time")
        }
        guard firstMessage.features.contains(feature) else {
            throw HybridProtocolError(
                .unexpectedMessage, reason: "the authenticator does not offer \(feature.rawValue)")
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
