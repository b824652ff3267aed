internal import Cryptography

/// One end of a hand-over, after the handshake: it seals and opens the messages, and takes none out of turn (HT-HOV-7).
///
/// The order is that of ``HandOverMessage/Kind``, and the same at both ends, so that one list says it. An offer of
/// nothing, which only settles what is in transit, is followed by ``HandOverMessage/settled``.
public struct HandOverSession: ~Copyable, Sendable {
    /// An end of a hand-over.
    public enum Role: Sendable, Hashable, CaseIterable {
        /// Shows the QR code, as a client does.
        case receiver
        /// Reads it, as an authenticator does.
        case sender
    }

    /// Our end.
    public let role: Role
    /// The number that both people compare; nil before the receiver's number is known at both ends.
    public private(set) var code: ComparisonCode?
    private var channel: SecureChannel
    private var expected = Expectation.message(.hello)
    private var commitment: [UInt8] = []
    private var senderNonce: [UInt8] = []
    private var inTransitCount = 0
    private var passkeyCount = 0

    private enum Expectation: Equatable {
        case message(HandOverMessage.Kind)
        case nothing
    }

    init(_ channel: consuming SecureChannel, role: Role) {
        self.channel = channel
        self.role = role
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public var handshakeHash: [UInt8] { channel.handshakeHash }

    /// True if the hand-over is complete, or was stopped.
    public var isOver: Bool { expected == .nothing }

    /// The receiver's commitment to a number, for its first message.
    ///
    /// - Parameter nonce: 32 random bytes, for this session.
    /// - Throws: `cryptographyFailed`.
    public func commitment(to nonce: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try ComparisonCode.commitment(to: nonce, handshakeHash: handshakeHash)
    }

    /// Seals a message.
    ///
    /// - Parameter message: the one whose turn it is, or ``HandOverMessage/stopped(_:)``, after which none follows.
    /// - Returns: the frame to send.
    /// - Throws: `unexpectedMessage` out of turn; `tooLong`; `sessionEnded`; `counterExhausted`, `cryptographyFailed`.
    ///   A message that was refused here leaves the session as it was.
    public mutating func seal(_ message: HandOverMessage) throws(HybridProtocolError) -> [UInt8] {
        try check(message, from: role)
        var plaintext = message.encoded()
        defer { wipe(&plaintext) }
        let frame = try channel.sealer.seal(plaintext)
        try note(message)
        return frame
    }

    /// Opens a frame.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: what ``FrameOpener/open(_:)`` and ``HandOverMessage/init(decoding:)`` throw; `unexpectedMessage` out
    ///   of turn, or for a list of another length than what it answers (HT-HOV-17); `wrongCommitment` (HT-HOV-11);
    ///   `sessionEnded` after the end or after any error: the first one ends the session.
    public mutating func open(_ frame: [UInt8]) throws(HybridProtocolError) -> HandOverMessage {
        guard !isOver else { throw .sessionIsOver }
        do {
            return try read(channel.opener.open(frame))
        } catch {
            expected = .nothing
            throw error
        }
    }

    /// Opens bytes that may be the next frame, from a channel that does not keep messages whole; see
    /// ``MessageAssembler``.
    ///
    /// - Returns: nil if the bytes are not the next frame; then the session is as it was.
    /// - Throws: as ``open(_:)``, but for `badTag`.
    public mutating func openIfFrame(_ bytes: [UInt8]) throws(HybridProtocolError) -> HandOverMessage? {
        guard !isOver else { throw .sessionIsOver }
        do {
            guard let plaintext = try channel.opener.openIfFrame(bytes) else { return nil }
            return try read(plaintext)
        } catch {
            expected = .nothing
            throw error
        }
    }

    private mutating func read(_ plaintext: consuming [UInt8]) throws(HybridProtocolError) -> HandOverMessage {
        defer { wipe(&plaintext) }
        let message = try HandOverMessage(decoding: plaintext.span)
        try check(message, from: role.other)
        try note(message)
        return message
    }

    /// Refuses a message that may not come now, or not from this end.
    private func check(_ message: HandOverMessage, from sender: Role) throws(HybridProtocolError) {
        guard !isOver else { throw .sessionIsOver }
        if message.kind == .stopped { return }
        guard expected == .message(message.kind), message.kind.origin == sender else {
            throw HybridProtocolError(.unexpectedMessage, reason: "\(message.kind) out of turn in a hand-over")
        }
        let isWhole =
            switch message {
            case .acceptance(let holds): holds.count == inTransitCount
            case .receipt(let outcomes): outcomes.count == passkeyCount
            default: true
            }
        guard isWhole else {
            throw HybridProtocolError(
                .unexpectedMessage, reason: "\(message.kind) with another number of members than was asked about")
        }
    }

    /// Goes on after a message of either end.
    private mutating func note(_ message: HandOverMessage) throws(HybridProtocolError) {
        switch message {
        case .hello(let hello): commitment = hello.commitment
        case .greeting(let nonce, _): senderNonce = nonce
        case .reveal(let nonce):
            let hash = channel.handshakeHash
            guard try ComparisonCode.commitment(to: nonce, handshakeHash: hash) == commitment else {
                throw HybridProtocolError(
                    .wrongCommitment, reason: "the receiver has opened another number than it committed itself to")
            }
            code = try ComparisonCode(handshakeHash: hash, receiver: nonce, sender: senderNonce)
        case .offer(let offer):
            inTransitCount = offer.inTransit.count
            passkeyCount = offer.passkeys.count
        case .acceptance, .payload, .receipt, .settled, .stopped: break
        }
        expected =
            switch message {
            case .settled, .stopped: .nothing
            case .acceptance where passkeyCount == 0: .message(.settled)
            default: HandOverMessage.Kind(rawValue: message.kind.rawValue + 1).map { .message($0) } ?? .nothing
            }
    }
}

extension HandOverSession.Role {
    /// The other end.
    var other: Self { self == .sender ? .receiver : .sender }
}

extension HandOverMessage.Kind {
    /// The end that sends it; of the one that either may send, the sender.
    package var origin: HandOverSession.Role {
        switch self {
        case .hello, .reveal, .acceptance, .receipt: .receiver
        case .greeting, .offer, .payload, .settled, .stopped: .sender
        }
    }
}

extension ConnectedAuthenticator {
    /// Begins a hand-over in the place of a session of requests: for an invitation to one.
    package consuming func handOver() -> HandOverSession { HandOverSession(channel, role: .sender) }
}

extension ConnectedClient {
    /// Begins a hand-over in the place of a session of requests: for an invitation to one.
    ///
    /// - Throws: `cryptographyFailed`.
    package consuming func handOver() throws(HybridProtocolError) -> HandOverSession {
        HandOverSession(try SecureChannel(handshake, role: .initiator), role: .receiver)
    }
}
