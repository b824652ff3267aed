internal import Cryptography
internal import Encodings

/// The authenticator's end of a running session: it answers one request at a time (HT-MSG-22).
public struct AuthenticatorSession: ~Copyable, Sendable {
    /// The sealed first message, to be sent right after handshake message 2 (HT-MSG-1).
    public let firstFrame: [UInt8]
    private var channel: SecureChannel
    private var turn: RequestTurn
    private var phase = Phase.open
    private var updates: UpdatePolicy

    private enum Phase {
        case open
        /// The client has ended the session: only updates may still go out.
        case shutDown
        case failed
    }

    /// A message from the client.
    public enum Event: Sendable, Equatable {
        /// A request, to be answered by ``AuthenticatorSession/sealResponse(_:)``.
        case request(Payload)
        /// The client ends the session. An open request needs no answer any more.
        case shutdown
        /// An update, encoded CBOR, to which nobody has given a meaning so far (HT-MSG-48).
        case update([UInt8])
    }

    init(
        _ channel: consuming SecureChannel,
        firstFrame: [UInt8],
        features: Set<FirstMessage.Feature>,
        updates: UpdatePolicy
    ) {
        self.channel = channel
        self.updates = updates
        self.firstFrame = firstFrame
        turn = RequestTurn(features: features)
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    ///
    /// Data that must hold for this session alone can be bound to it. Source: Noise section 11.2; the value is that of
    /// HT-HS-26.
    public var handshakeHash: [UInt8] { channel.handshakeHash }

    /// Opens a frame.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: the errors of ``FrameOpener/open(_:)`` and ``Message/init(decoding:)``; `unexpectedMessage` for a
    ///   second request before the first was answered (HT-MSG-21), or a type that our features do not include (HT-DC-5,
    ///   HT-DC-8); `invalidCBOR` for an update that is none; `sessionEnded` after a shutdown (HT-MSG-32, HT-MSG-37) or
    ///   after any error: the first one ends the session (HT-FRM-20).
    public mutating func open(_ frame: [UInt8]) throws(HybridProtocolError) -> Event {
        guard phase == .open else { throw .sessionIsOver }
        do {
            return try read(channel.opener.open(frame))
        } catch {
            phase = .failed
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
        guard phase == .open else { throw .sessionIsOver }
        do {
            guard let plaintext = try channel.opener.openIfFrame(bytes) else { return nil }
            return try read(plaintext)
        } catch {
            phase = .failed
            throw error
        }
    }

    /// Seals the answer to the open request.
    ///
    /// - Parameter response: of the request's kind: at most 1 MiB less the type byte.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` without such a request; `empty`; `tooLong`; `sessionEnded`; `counterExhausted`. An
    ///   answer that was refused here leaves the session as it was.
    public mutating func sealResponse(_ response: Payload) throws(HybridProtocolError) -> [UInt8] {
        guard phase == .open else { throw .sessionIsOver }
        try turn.check(answer: response)
        let contents = response.bytes
        guard !contents.isEmpty else { throw HybridProtocolError(.empty, reason: "an answer without contents") }
        let frame = try channel.sealer.seal(response.type.rawValue, contents.span)
        turn.end()
        return frame
    }

    /// True if ``sealUpdate(offering:)`` may be called: in a QR-initiated session whose client offered to be linked
    /// (key 4 of the QR code), before a first offer.
    public var takesLinkOffer: Bool {
        if case .linking = updates { phase != .failed } else { false }
    }

    /// Seals an update that offers the client a link, at any time of the session, even after the client's shutdown.
    ///
    /// - Parameter offer: signed here, for this session.
    /// - Returns: the frame to send: 560 bytes, as many as an update that offers nothing; more for a long contact ID.
    /// - Throws: `linkingNotOffered` where the client cannot be linked; `alreadyLinked` for a second offer;
    ///   `unexpectedMessage` in a state-assisted session; `sessionEnded` after an error; `counterExhausted`,
    ///   `cryptographyFailed`.
    public mutating func sealUpdate(offering offer: borrowing LinkOffer) throws(HybridProtocolError) -> [UInt8] {
        let clientKey = try updates.clientKey()
        let map = try LinkingMap(offer, clientPublicKey: clientKey, handshakeHash: channel.handshakeHash)
        let frame = try sealUpdate(map.encodedUpdate().span)
        updates = .linked
        return frame
    }

    /// Seals an update that says nothing, so that lengths alone do not show if a link was offered.
    ///
    /// - Returns: the frame to send: 560 bytes.
    /// - Throws: `unexpectedMessage` in a state-assisted session; `sessionEnded` after an error; `counterExhausted`.
    public mutating func sealUpdate() throws(HybridProtocolError) -> [UInt8] {
        try updates.check()
        return try sealUpdate(Update.encoded().span)
    }

    private mutating func sealUpdate(_ payload: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        guard phase != .failed else { throw .sessionIsOver }
        return try channel.sealer.seal(MessageType.update.rawValue, payload)
    }

    private mutating func read(_ plaintext: [UInt8]) throws(HybridProtocolError) -> Event {
        switch try Message(decoding: plaintext.span) {
        case .payload(let request):
            try turn.check(request: request)
            turn.begin(request)
            return .request(request)
        case .shutdown:
            phase = .shutDown
            return .shutdown
        case .update(let contents):
            do { _ = try CBORValue.decode(contents.span) } catch {
                throw HybridProtocolError(error, in: "the client's update")
            }
            return .update(contents)
        }
    }
}
