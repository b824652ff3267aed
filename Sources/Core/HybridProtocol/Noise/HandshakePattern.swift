/// A Noise handshake pattern, as data: one engine, ``Handshake``, runs them all.
///
/// Source: The Noise Protocol Framework, sections 7 and 9. A pattern with another order of tokens is another value, not
/// other code.
package struct HandshakePattern: Sendable, Equatable {
    /// One step of a message or a pre-message (Noise section 7.1).
    package enum Token: Sendable {
        /// An ephemeral public key.
        case e
        /// A static public key; only in pre-messages here.
        case s
        /// Diffie-Hellman of both ephemeral keys.
        case ee
        /// Diffie-Hellman of the initiator's ephemeral and the responder's static key.
        case es
        /// Diffie-Hellman of the initiator's static and the responder's ephemeral key.
        case se
        /// The pre-shared key (Noise section 9.2).
        case psk
    }

    /// The full name of the protocol, which starts the handshake hash (Noise section 8): 31 ASCII characters.
    package let protocolName: String
    /// The first bytes that are mixed in (HT-HS-3): 1 byte.
    package let prologue: [UInt8]
    /// The static keys that the responder knows beforehand (HT-HS-4).
    package let initiatorPreMessage: [Token]
    /// The static keys that the initiator knows beforehand (HT-HS-4).
    package let responderPreMessage: [Token]
    /// The messages in turn, the initiator's first (HT-HS-9, HT-HS-24).
    package let messages: [[Token]]

    /// QR-initiated sessions: the client's static key is in the QR code, the authenticator has none (HT-HS-1).
    ///
    ///     -> s
    ///     ...
    ///     -> psk, e
    ///     <- e, ee, se
    package static let knPSK0 = Self(
        protocolName: "Noise_KNpsk0_P256_AESGCM_SHA256",
        prologue: [1],
        initiatorPreMessage: [.s],
        responderPreMessage: [],
        messages: [[.psk, .e], [.e, .ee, .se]])

    /// The pattern of QR-initiated sessions under another prologue: its messages are those of no other session.
    package static func knPSK0(prologue: [UInt8]) -> Self {
        Self(
            protocolName: knPSK0.protocolName, prologue: prologue, initiatorPreMessage: knPSK0.initiatorPreMessage,
            responderPreMessage: knPSK0.responderPreMessage, messages: knPSK0.messages)
    }

    /// State-assisted sessions: the authenticator's static key was learnt when it was linked, the client has none
    /// (HT-HS-2).
    ///
    ///     <- s
    ///     ...
    ///     -> psk, e, es
    ///     <- e, ee
    package static let nkPSK0 = Self(
        protocolName: "Noise_NKpsk0_P256_AESGCM_SHA256",
        prologue: [0],
        initiatorPreMessage: [],
        responderPreMessage: [.s],
        messages: [[.psk, .e, .es], [.e, .ee]])
}

/// End of a handshake (Noise section 7.1).
package enum HandshakeRole: Sendable {
    /// Sends the first message: the client.
    case initiator
    /// Answers it: the authenticator.
    case responder
}
