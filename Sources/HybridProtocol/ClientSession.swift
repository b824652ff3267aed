internal import CBOR

/// The client's end of a running session: one request at a time, each with its answer (PROTOCOL.md 7.2).
public struct ClientSession: ~Copyable, Sendable {
    /// What the authenticator is and can do.
    public let firstMessage: FirstMessage
    private var channel: SecureChannel
    private var turn: RequestTurn
    private var maySeal = true
    private var mayOpen = true
    private var links: LinkReceiver
    /// What became of the first message's linking data, at the older place for it (PROTOCOL.md 7.1, key 2).
    public let firstMessageLinking: LinkingResult

    /// What an authenticator may send after its first message.
    public enum Event: Sendable, Equatable {
        /// The answer to our request: a CTAP status byte, then CBOR.
        case response([UInt8])
        /// The answer to our request: JSON.
        case jsonResponse(String)
        /// Something beside the requests, and what became of the linking data in it. The session goes on; the request, if there
        /// is one, is still open.
        case update(LinkingResult)
        /// The authenticator is done with us. Not meant to be sent, but webauthn-rs does. The session is over.
        case shutdown
    }

    init(_ channel: consuming SecureChannel, firstMessage: FirstMessage, _ linkVerifier: consuming LinkVerifier?) {
        var links = LinkReceiver(linkVerifier)
        firstMessageLinking = links.receive(firstMessage.linking, handshakeHash: channel.handshakeHash)
        self.links = links
        self.channel = channel
        self.firstMessage = firstMessage.withoutLinking
        turn = RequestTurn(features: firstMessage.features)
    }

    /// Hands over the link that this session has brought, once.
    ///
    /// - Returns: nil before linking data was ``LinkingResult/verified``, and after the link was taken.
    public mutating func takeLink() -> Link? { links.takeLink() }

    /// Seals a CTAP request.
    ///
    /// - Parameter request: the command byte, then CBOR: at most 1 MiB less the type byte.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` while another request is open, or if the session carries no CTAP; `empty`; `tooLong`;
    ///   `sessionEnded`; `counterExhausted`. A request that was refused here leaves the session as it was.
    public mutating func sealRequest(_ request: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try sealRequest(.ctap, request.span)
    }

    /// Seals a digital-credential request.
    ///
    /// - Parameter json: JSON text.
    /// - Returns: the frame to send.
    /// - Throws: what ``sealRequest(_:)`` throws.
    public mutating func sealRequest(json: String) throws(HybridProtocolError) -> [UInt8] {
        let text = Array(json.utf8)
        return try sealRequest(.json, text.span)
    }

    /// Opens a frame.
    ///
    /// After our own shutdown, late updates and the answer to an open request may still be opened.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: what ``FrameOpener/open(_:)``, ``Message/init(decoding:)`` and `Update/init(decoding:)` throw;
    ///   `unexpectedMessage` for an answer to no request, or of another type than the request; `sessionEnded` after the
    ///   authenticator's shutdown or after any error: the first one ends the session.
    public mutating func open(_ frame: [UInt8]) throws(HybridProtocolError) -> Event {
        guard mayOpen else { throw .sessionIsOver }
        do {
            return try read(channel.open(frame))
        } catch {
            endSession()
            throw error
        }
    }

    /// Opens bytes that may be the next frame, from a channel that does not keep messages whole; see ``MessageAssembler``.
    ///
    /// - Parameter bytes: any number.
    /// - Returns: nil if the bytes are not the next frame; then the session is as it was.
    /// - Throws: as ``open(_:)``, but for `badTag`.
    public mutating func openIfFrame(_ bytes: [UInt8]) throws(HybridProtocolError) -> Event? {
        guard mayOpen else { throw .sessionIsOver }
        do {
            guard let plaintext = try channel.openIfFrame(bytes) else { return nil }
            return try read(plaintext)
        } catch {
            endSession()
            throw error
        }
    }

    /// Seals the shutdown that ends the session on our side: no request may follow.
    ///
    /// - Returns: the frame to send; nil in revision 0, which knows no shutdown: there the client just closes.
    /// - Throws: `sessionEnded` if it has ended before; `counterExhausted`, `cryptographyFailed`.
    public mutating func sealShutdown() throws(HybridProtocolError) -> [UInt8]? {
        guard maySeal else { throw .sessionIsOver }
        maySeal = false
        return firstMessage.revision == .typed ? try seal(.shutdown, Span()) : nil
    }

    private mutating func read(_ plaintext: [UInt8]) throws(HybridProtocolError) -> Event {
        let message: Message
        switch firstMessage.revision {
        case .typed: message = try Message(decoding: plaintext.span)
        case .padded:
            guard !plaintext.isEmpty else { throw HybridProtocolError(.empty, reason: "an answer without contents") }
            message = .ctap(plaintext)
        }
        switch message {
        case .ctap(let response):
            try turn.checkAnswer(.ctap)
            turn.end()
            return .response(response)
        case .json(let text):
            try turn.checkAnswer(.json)
            turn.end()
            return .jsonResponse(text)
        case .update(let payload): return .update(try receive(payload))
        case .shutdown:
            endSession()
            return .shutdown
        }
    }

    private mutating func receive(_ update: [UInt8]) throws(HybridProtocolError) -> LinkingResult {
        let linking: CBORMap?
        do { linking = try Update(decoding: update.span).linking } catch {
            // Of linking data that is no map only that is dropped, as of any other bad linking data.
            guard error.code == .wrongType else { throw error }
            return .refused(error)
        }
        return links.receive(linking, handshakeHash: channel.handshakeHash)
    }

    private mutating func endSession() {
        maySeal = false
        mayOpen = false
        links.forgetKey()
    }

    private mutating func sealRequest(
        _ type: MessageType,
        _ payload: Span<UInt8>
    ) throws(HybridProtocolError) -> [UInt8] {
        guard maySeal else { throw .sessionIsOver }
        try turn.checkRequest(type)
        guard !payload.isEmpty else { throw HybridProtocolError(.empty, reason: "a request without contents") }
        let frame = try seal(type, payload)
        turn.begin(type)
        return frame
    }

    private mutating func seal(_ type: MessageType, _ payload: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        try channel.seal(firstMessage.revision == .typed ? type : nil, payload)
    }
}
