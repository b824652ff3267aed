internal import Cryptography

/// The chaining key, the handshake hash and the current cipher key of a handshake (Noise section 5.2).
struct SymmetricState: ~Copyable {
    private var hkdf: HKDFSHA256
    private var chainingKey: SecretBytes
    private(set) var handshakeHash: [UInt8]
    private var cipherKey: SecretBytes?
    private var counter: UInt32 = 0

    init(protocolName: String) {
        let name = Array(protocolName.utf8)
        // A name that fits is padded with zeros; a longer one is hashed (Noise section 5.2, InitializeSymmetric).
        var hash = name + [UInt8](repeating: 0, count: max(0, SHA256.byteCount - name.count))
        if hash.count > SHA256.byteCount { hash = SHA256.hash(name.span) }
        hkdf = HKDFSHA256()
        chainingKey = SecretBytes(copying: hash.span)
        handshakeHash = hash
    }

    mutating func mixHash(_ bytes: Span<UInt8>) {
        handshakeHash = SHA256.hash(handshakeHash.span, bytes)
    }

    mutating func mixKey(_ material: Span<UInt8>) {
        let derived = hkdf.expand(chainingKey, material, keyCount: 2)
        chainingKey = derived.key(0)
        cipherKey = derived.key(1)
        counter = 0
    }

    /// The pre-shared key goes this way (HT-HS-7).
    mutating func mixKeyAndHash(_ material: Span<UInt8>) {
        let derived = hkdf.expand(chainingKey, material, keyCount: 3)
        chainingKey = derived.key(0)
        mixHash(derived.span.extracting(SHA256.byteCount..<2 * SHA256.byteCount))
        cipherKey = derived.key(2)
        counter = 0
    }

    mutating func encryptAndHash(_ plaintext: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var message = plaintext
        let nonce = nextNonce()
        switch cipherKey {
        case .some(let key):
            var sealer = try AES256GCM.Sealer(key: key.span)
            try sealer.seal(&message, nonce: nonce, authenticatedData: handshakeHash.span)
        case .none: throw .missingKey
        }
        mixHash(message.span)
        return message
    }

    mutating func decryptAndHash(_ ciphertext: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        var message = ciphertext.withUnsafeBufferPointer { Array($0) }
        let nonce = nextNonce()
        switch cipherKey {
        case .some(let key):
            var opener = try AES256GCM.Opener(key: key.span)
            try opener.open(&message, nonce: nonce, authenticatedData: handshakeHash.span)
        case .none: throw .missingKey
        }
        mixHash(ciphertext)
        return message
    }

    /// The two transport keys: the initiator's sending key first (Noise section 5.2, Split; HT-HS-27).
    consuming func split() -> TransportKeys {
        let derived = hkdf.expand(chainingKey, Span(), keyCount: 2)
        return TransportKeys(initiatorToResponder: derived.key(0), responderToInitiator: derived.key(1))
    }

    /// The hybrid transport puts the handshake's counter big-endian into the first four bytes of the nonce
    /// (HT-HS-10), where Noise has it in the last eight.
    private mutating func nextNonce() -> AES256GCM.Nonce {
        var nonce = AES256GCM.Nonce(repeating: 0)
        for index in 0..<4 { nonce[index] = UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * index)) }
        counter &+= 1
        return nonce
    }
}

extension HKDFSHA256 {
    /// Several keys of 32 bytes (Noise section 4.3, HKDF).
    fileprivate mutating func expand(
        _ chainingKey: borrowing SecretBytes, _ material: Span<UInt8>, keyCount: Int
    ) -> SecretBytes {
        derive(secret: material, salt: chainingKey.span, info: Span(), byteCount: keyCount * SHA256.byteCount)
    }
}

extension SecretBytes {
    /// One of several keys of 32 bytes that were derived together.
    fileprivate func key(_ index: Int) -> SecretBytes {
        let start = index * SHA256.byteCount
        return SecretBytes(copying: span.extracting(start..<start + SHA256.byteCount))
    }
}

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
