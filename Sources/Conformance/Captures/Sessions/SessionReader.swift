internal import HybridProtocol

/// Follows the session on a channel: two handshake messages, then frames, which are opened if their keys are there.
///
/// A channel whose first bytes are not a handshake message carries no session, and is looked at no further.
final class SessionReader {
    private enum Phase { case message1, message2, open, over }

    /// Outcome of a piece.
    enum Outcome {
        case began(id: [UInt8])
        case message(isFromClient: Bool, CapturedMessage.Contents)
        case lost(reason: String)
    }

    let carrier: Carrier
    /// The number of the session, once it has one.
    var number: Int?
    private var phase = Phase.message1
    private var fromClient: MessageAssembler
    private var fromAuthenticator: MessageAssembler
    private var keys: CaptureKeys.SessionKeys?
    private var openers: Openers?
    private var isFirst = true
    private var isTyped = true

    /// The openers of both directions, of one construction.
    private final class Openers {
        var client: FrameOpener
        var authenticator: FrameOpener

        init(_ keys: borrowing TrafficKeys, _ construction: TransportConstruction) throws(HybridProtocolError) {
            client = try keys.opener(ofClient: true, construction)
            authenticator = try keys.opener(ofClient: false, construction)
        }
    }

    private static let pointPrefix: UInt8 = 4

    init(_ carrier: Carrier) {
        self.carrier = carrier
        fromClient = MessageAssembler(piecesAreMessages: carrier == .tunnel)
        fromAuthenticator = fromClient
    }

    /// Stops: later pieces are not looked at.
    func stop() { phase = .over }

    /// Gives the keys of the session that ``Outcome/began(id:)`` has named; without them its frames are counted only.
    func take(_ keys: CaptureKeys.SessionKeys?) { self.keys = keys }

    /// Takes one piece: an SDU, or a message of a WebSocket.
    func take(_ piece: [UInt8], isFromClient: Bool, tell: (Outcome) -> Void) {
        guard phase != .over, !piece.isEmpty else { return }
        // A service may say that the authenticator has joined a linked client's tunnel (HT-TUN-79).
        if carrier == .tunnel, phase != .open, !isFromClient, piece == TunnelWebSocket.signalMessage { return }
        if keys == nil, phase == .open {
            return tell(.message(isFromClient: isFromClient, .sealed(piece.count)))
        }
        do throws(HybridProtocolError) {
            if isFromClient { try fromClient.append(piece) } else { try fromAuthenticator.append(piece) }
            try advance(tell)
        } catch {
            phase = .over
            if number != nil { tell(.lost(reason: error.reason)) }
        }
    }

    private func advance(_ tell: (Outcome) -> Void) throws(HybridProtocolError) {
        if phase == .message1 {
            guard fromAuthenticator.isBetweenMessages, fromClient.rest.first ?? Self.pointPrefix == Self.pointPrefix
            else { return stop() }
            guard let message = fromClient.nextHandshakeMessage() else { return }
            guard message.count == handshakeMessageByteCount else { return stop() }
            phase = .message2
            tell(.began(id: TrafficKeys.session(ofMessage: message)))
            guard phase == .message2 else { return }
            tell(.message(isFromClient: true, .handshake(message)))
        }
        if phase == .message2 {
            guard let message = fromAuthenticator.nextHandshakeMessage() else { return }
            guard message.count == handshakeMessageByteCount, message.first == Self.pointPrefix else {
                throw HybridProtocolError(.wrongLength, reason: "no handshake message answers that of the client")
            }
            tell(.message(isFromClient: false, .handshake(message)))
            phase = .open
        }
        guard keys != nil else {
            for (assembler, isClient) in [(fromAuthenticator, false), (fromClient, true)]
            where !assembler.isBetweenMessages {
                tell(.message(isFromClient: isClient, .sealed(assembler.rest.count)))
            }
            fromClient = MessageAssembler(piecesAreMessages: carrier == .tunnel)
            fromAuthenticator = fromClient
            return
        }
        while let plaintext = try fromAuthenticator.next({ (frame, isWhole) throws(HybridProtocolError) in
            try open(frame, isWhole, isFromClient: false)
        }) { tell(.message(isFromClient: false, contents(plaintext, isFromClient: false))) }
        while let plaintext = try fromClient.next({ (frame, isWhole) throws(HybridProtocolError) in
            try open(frame, isWhole, isFromClient: true)
        }) { tell(.message(isFromClient: true, contents(plaintext, isFromClient: true))) }
    }

    private func contents(_ plaintext: [UInt8], isFromClient: Bool) -> CapturedMessage.Contents {
        guard !isFromClient, isFirst else { return .message(plaintext, isTyped: isTyped) }
        isFirst = false
        // In revision 0 no message has a type.
        if let received = try? ReceivedFirstMessage(decoding: plaintext.span) {
            isTyped = received.message.revision == .typed
        }
        return .first(plaintext)
    }

    /// Opens a frame; the first that opens tells the construction of the session.
    private func open(_ frame: [UInt8], _ isWhole: Bool, isFromClient: Bool) throws(HybridProtocolError) -> [UInt8]? {
        guard let keys else { return nil }
        if let openers { return try open(frame, isWhole, isFromClient, openers) }
        for construction in [TransportConstruction.current, .old] {
            let openers = try Openers(keys.keys, construction)
            guard let plaintext = try open(frame, false, isFromClient, openers) else { continue }
            self.openers = openers
            return plaintext
        }
        guard !isWhole else { throw HybridProtocolError(.badTag, reason: "a frame does not open with the logged keys") }
        return nil
    }

    private func open(
        _ frame: [UInt8], _ isWhole: Bool, _ isFromClient: Bool, _ openers: Openers
    ) throws(HybridProtocolError) -> [UInt8]? {
        if isFromClient {
            return isWhole ? try openers.client.open(frame) : try openers.client.openIfFrame(frame)
        }
        return isWhole ? try openers.authenticator.open(frame) : try openers.authenticator.openIfFrame(frame)
    }
}
