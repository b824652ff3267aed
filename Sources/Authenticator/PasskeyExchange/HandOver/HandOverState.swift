internal import Cryptography
package import HybridProtocol

/// One end of a hand-over, after the handshake, without a channel.
package typealias HandOverSession = MessageSession<HandOverState>

/// The state of a hand-over at one end, after the handshake: it takes no message out of turn (PX-HOV-7).
///
/// The order is that of ``HandOverMessage/Kind``, and the same at both ends, so that one list says it. Neither end gets
/// past ``HandOverMessage/opening(nonce:name:)`` with other digits than the code's, nor past
/// ``HandOverMessage/identity(_:)`` without a good signature: the messages of this end are checked too. An offer of
/// nothing, which only settles passkeys in transit, is followed by ``HandOverMessage/settled``.
package struct HandOverState: MessageCodec {
    /// An end of a hand-over.
    package enum Role: Sendable, Hashable, CaseIterable {
        /// Shows the QR code, as a client does.
        case receiver
        /// Reads it, as an authenticator does.
        case sender
    }

    /// Our end.
    package let role: Role
    /// The number that is typed; nil at the sender before the receiver's number is opened.
    package private(set) var code: ComparisonCode?
    private let handshakeHash: [UInt8]
    private var expected = Expectation.message(.hello)
    private var commitment: [UInt8] = []
    private var typedCommitment: [UInt8] = []
    private var receiverNonce: [UInt8]?
    private var senderNonce: [UInt8] = []
    private var inTransitCount = 0
    private var passkeyCount = 0
    private var mayStop = true

    private enum Expectation: Equatable {
        case message(HandOverMessage.Kind)
        case nothing
    }

    /// Begins a hand-over.
    ///
    /// - Parameters:
    ///   - role: our end.
    ///   - handshakeHash: 32 bytes that both ends share and that name this session.
    package init(role: Role, handshakeHash: [UInt8]) {
        self.role = role
        self.handshakeHash = handshakeHash
    }

    /// True if the hand-over is complete, or was stopped.
    package var isComplete: Bool { expected == .nothing }

    /// The receiver's first message, which commits it to a number.
    ///
    /// - Parameter nonce: 32 random bytes, for this session.
    package mutating func hello(committingTo nonce: [UInt8]) -> HandOverMessage {
        receiverNonce = nonce
        return .hello(commitment: ComparisonCode.commitment(to: nonce, handshakeHash: handshakeHash))
    }

    /// The sender's commitment to the digits that were typed.
    ///
    /// - Parameters:
    ///   - digits: 6 ASCII digits.
    ///   - nonce: 32 random bytes, for this session.
    package func typing(_ digits: String, nonce: [UInt8]) -> HandOverMessage {
        .typing(
            commitment: ComparisonCode.commitment(toDigits: digits, nonce: nonce, handshakeHash: handshakeHash))
    }

    /// The bytes that the receiver signs.
    package var statement: [UInt8] { HandOverReceiver.statement(handshakeHash: handshakeHash) }

    /// Forbids this end to stop the hand-over from now on (PX-HOV-21).
    package mutating func withholdStop() { mayStop = false }

    /// Encodes the message whose turn it is, or ``HandOverMessage/stopped(_:)``, after which none follows.
    ///
    /// - Throws: `unexpectedMessage` out of turn; `sessionEnded`; `wrongCommitment`; `wrongDigits`; `badSignature`,
    ///   `cryptographyFailed`.
    package mutating func encode(_ message: HandOverMessage) throws(HybridProtocolError) -> [UInt8] {
        try check(message, from: role)
        guard mayStop || message.kind != .stopped else {
            throw HybridProtocolError(.unexpectedMessage, reason: "a hand-over that may be complete was stopped")
        }
        try note(message)
        return message.encoded()
    }

    /// Decodes a message of the other end.
    ///
    /// - Throws: the errors of ``HandOverMessage/init(decoding:)``; `unexpectedMessage` out of turn, or for a list of
    ///   another length than the one it answers (PX-HOV-17); `wrongCommitment` (PX-HOV-11); `wrongDigits` (PX-HOV-27);
    ///   `badSignature` (PX-HOV-26), `cryptographyFailed`; `sessionEnded`.
    package mutating func decode(_ bytes: Span<UInt8>) throws(HybridProtocolError) -> HandOverMessage {
        let message = try HandOverMessage(decoding: bytes)
        try check(message, from: role.other)
        try note(message)
        return message
    }

    /// ``HandOverStopped`` for a stop.
    package static func failure(of message: HandOverMessage) -> (any Error)? {
        guard case .stopped(let reason) = message else { return nil }
        return HandOverStopped(reason: reason)
    }

    /// Refuses a message that may not come now, or not from this end.
    private func check(_ message: HandOverMessage, from sender: Role) throws(HybridProtocolError) {
        guard !isComplete else { throw HybridProtocolError(.sessionEnded, reason: "the session is over") }
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
        case .hello(let commitment): self.commitment = commitment
        case .greeting(let nonce):
            senderNonce = nonce
            code = receiverNonce.map {
                ComparisonCode(handshakeHash: handshakeHash, receiver: $0, sender: nonce)
            }
        case .typing(let commitment): typedCommitment = commitment
        case .reveal(let nonce):
            guard ComparisonCode.commitment(to: nonce, handshakeHash: handshakeHash) == commitment else {
                throw HybridProtocolError(
                    .wrongCommitment, reason: "the receiver has opened another number than the one it committed to")
            }
            code = ComparisonCode(handshakeHash: handshakeHash, receiver: nonce, sender: senderNonce)
        case .opening(let nonce, _):
            let digits = code?.digits ?? ""
            let opened = ComparisonCode.commitment(toDigits: digits, nonce: nonce, handshakeHash: handshakeHash)
            guard constantTimeEquals(opened.span, typedCommitment.span) else {
                throw HybridProtocolError(
                    .wrongDigits, reason: "other digits were typed at the sender than the receiver showed")
            }
        case .identity(let identity):
            try identity.receiver.check(identity.proof, handshakeHash: handshakeHash)
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

extension HandOverState.Role {
    /// The other end.
    var other: Self { self == .sender ? .receiver : .sender }
}

extension HandOverMessage.Kind {
    /// The end that sends it; of the one that either may send, the sender.
    package var origin: HandOverState.Role {
        switch self {
        case .hello, .reveal, .identity, .acceptance, .receipt: .receiver
        case .greeting, .typing, .opening, .offer, .payload, .settled, .stopped: .sender
        }
    }
}

extension HybridProtocolErrorCode {
    /// A number that is opened and is not the one that was committed to before.
    package static let wrongCommitment = Self(rawValue: "wrong-commitment")
    /// Other digits were typed than those of the session.
    package static let wrongDigits = Self(rawValue: "wrong-digits")
}

/// The peer has ended a hand-over before it was complete, and kept nothing of it.
package struct HandOverStopped: Error, Sendable, Hashable {
    /// The reason that it gave.
    package let reason: HandOverStop
}
