internal import Cryptography

/// The client's end of a running session: one request at a time, each with its answer (HT-MSG-20).
public struct ClientSession: ~Copyable, Sendable {
    /// The authenticator's properties and features.
    public let firstMessage: FirstMessage
    private var channel: SecureChannel
    private var turn: RequestTurn
    private var maySeal = true
    private var mayOpen = true
    private var links: LinkReceiver
    /// Outcome of processing the linking data of the first message, its older place (HT-MSG-47).
    public let firstMessageLinking: LinkingResult

    /// A message from the authenticator after its first one.
    public enum Event: Sendable, Equatable {
        /// The answer to our request, of the same kind.
        case response(Payload)
        /// Data beside the requests, with the outcome of processing the linking data in it. The session goes on; an
        /// open request stays open (HT-MSG-27).
        case update(LinkingResult)
        /// The authenticator is done with us. Not meant to be sent (HT-MSG-35), but webauthn-rs does. The session is
        /// over (HT-MSG-36).
        case shutdown
    }

    init(
        _ channel: consuming SecureChannel,
        firstMessage: FirstMessage,
        linking: consuming SecretMap?,
        linkVerifier: consuming LinkVerifier?
    ) {
        var links = LinkReceiver(linkVerifier)
        firstMessageLinking = links.receive(linking, handshakeHash: channel.handshakeHash)
        self.links = links
        self.channel = channel
        self.firstMessage = firstMessage
        turn = RequestTurn(features: firstMessage.features)
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    ///
    /// Data that must hold for this session alone can be bound to it. Source: Noise section 11.2; the value is that of
    /// HT-HS-26.
    public var handshakeHash: [UInt8] { channel.handshakeHash }

    /// Hands over the link that this session has brought, once.
    ///
    /// - Returns: nil before linking data was ``LinkingResult/verified``, and after the link was taken.
    public mutating func takeLink() -> Link? { links.takeLink() }

    /// Seals a request.
    ///
    /// - Parameter request: at most 1 MiB less the type byte.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` while another request is open, or if the session does not carry this kind;
    ///   `empty`; `tooLong`; `sessionEnded`; `counterExhausted`. A request that was refused here leaves the session
    ///   as it was.
    public mutating func sealRequest(_ request: Payload) throws(HybridProtocolError) -> [UInt8] {
        guard maySeal else { throw .sessionIsOver }
        try turn.check(request: request)
        let contents = request.bytes
        guard !contents.isEmpty else { throw HybridProtocolError(.empty, reason: "a request without contents") }
        let frame = try seal(request.type, contents.span)
        turn.begin(request)
        return frame
    }

    /// Opens a frame.
    ///
    /// After our own shutdown, late updates and the answer to an open request may still be opened (HT-MSG-37,
    /// HT-MSG-49).
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: the errors of ``FrameOpener/open(_:)``, ``Message/init(decoding:)`` and `Update/init(decoding:)`;
    ///   `unexpectedMessage` for an answer to no request (HT-MSG-23), or of another type than the request (HT-MSG-24,
    ///   HT-MSG-25); `sessionEnded` after the authenticator's shutdown or after any error: the first one ends the
    ///   session (HT-FRM-20).
    public mutating func open(_ frame: [UInt8]) throws(HybridProtocolError) -> Event {
        guard mayOpen else { throw .sessionIsOver }
        do {
            return try read(channel.opener.open(frame))
        } catch {
            endSession()
            throw error
        }
    }

    /// Opens bytes that may be the next frame, from a channel that does not keep messages whole; see
    /// ``MessageAssembler``.
    ///
    /// - Parameter bytes: any number.
    /// - Returns: nil if the bytes are not the next frame; then the session is as it was.
    /// - Throws: as ``open(_:)``, but for `badTag`.
    public mutating func openIfFrame(_ bytes: [UInt8]) throws(HybridProtocolError) -> Event? {
        guard mayOpen else { throw .sessionIsOver }
        do {
            guard let plaintext = try channel.opener.openIfFrame(bytes) else { return nil }
            return try read(consume plaintext)
        } catch {
            endSession()
            throw error
        }
    }

    /// Seals the shutdown that ends the session on our side: no request may follow (HT-MSG-28, HT-MSG-30).
    ///
    /// - Returns: the frame to send; nil in revision 0, which knows no shutdown: there the client just closes
    ///   (HT-MSG-45).
    /// - Throws: `sessionEnded` if it has ended before; `counterExhausted`, `cryptographyFailed`.
    public mutating func sealShutdown() throws(HybridProtocolError) -> [UInt8]? {
        guard maySeal else { throw .sessionIsOver }
        maySeal = false
        return firstMessage.revision == .typed ? try seal(.shutdown, Span()) : nil
    }

    private mutating func read(_ plaintext: consuming [UInt8]) throws(HybridProtocolError) -> Event {
        if firstMessage.revision == .typed, plaintext.first == MessageType.update.rawValue {
            // Not by way of Message: linking data holds a secret, and a copy of it would not be wiped.
            let update = SecretArray(consume plaintext)
            return .update(try receive(update.span.extracting(droppingFirst: MessageType.byteCount)))
        }
        let message: Message
        switch firstMessage.revision {
        case .typed: message = try Message(decoding: plaintext.span)
        case .padded:
            guard !plaintext.isEmpty else { throw HybridProtocolError(.empty, reason: "an answer without contents") }
            message = .payload(.ctap(plaintext))
        }
        switch message {
        case .payload(let response):
            try turn.check(answer: response)
            turn.end()
            return .response(response)
        case .update(let contents): return .update(try receive(contents.span))
        case .shutdown:
            endSession()
            return .shutdown
        }
    }

    private mutating func receive(_ payload: Span<UInt8>) throws(HybridProtocolError) -> LinkingResult {
        let update: Update
        do { update = try Update(decoding: payload) } catch {
            // An update that is not a map ends the session (HT-MSG-46). Of linking data that is not a map only that is
            // dropped, as of any other bad linking data (HT-LNK-33).
            guard error.code == .wrongType else { throw error }
            return .refused(error)
        }
        return links.receive(update.linking, handshakeHash: channel.handshakeHash)
    }

    private mutating func endSession() {
        maySeal = false
        mayOpen = false
        links.forgetKey()
    }

    private mutating func seal(_ type: MessageType, _ payload: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        try channel.sealer.seal(firstMessage.revision == .typed ? type.rawValue : nil, payload)
    }
}
