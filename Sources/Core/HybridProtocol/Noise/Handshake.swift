package import Cryptography

/// One end of a Noise handshake: an engine that runs any ``HandshakePattern`` token by token.
///
/// Source: The Noise Protocol Framework, section 5.3, with the nonce placement of the hybrid transport (HT-HS-10).
/// Ephemeral keys come in as arguments, so that a handshake can be replayed.
package struct Handshake: ~Copyable, Sendable {
    private let pattern: HandshakePattern
    private let role: HandshakeRole
    private var symmetric: SymmetricState
    private var presharedKey: SecretBytes?
    private let staticKey: P256.PrivateKey?
    private var ephemeralKey: P256.PrivateKey?
    private let remoteStaticKey: P256.PublicKey?
    /// The secret of our ephemeral key and the peer's static key, until it is mixed in.
    private var secretWithStaticKey: SecretBytes?
    private var remoteEphemeralKey: P256.PublicKey?
    private var messagesDone = 0
    /// True if a message was begun and not ended. It stays so when that message fails, and then nothing goes on.
    private var isInMessage = false

    /// The length of the pre-shared key: 32 bytes.
    package static let presharedKeyByteCount = 32

    /// Starts a handshake: protocol name, prologue, pre-messages.
    ///
    /// - Parameters:
    ///   - pattern: the tokens of each message.
    ///   - role: our end.
    ///   - staticKey: our static key, where the pattern has one for our role.
    ///   - remoteStaticKey: the peer's static key, where the pattern has it in a pre-message.
    ///   - presharedKey: 32 bytes.
    /// - Throws: `wrongLength` for the pre-shared key, `outOfOrder` if the pattern needs a static key that is missing.
    package init(
        _ pattern: HandshakePattern,
        role: HandshakeRole,
        staticKey: consuming P256.PrivateKey? = nil,
        remoteStaticKey: P256.PublicKey? = nil,
        presharedKey: consuming SecretBytes
    ) throws(CryptographyError) {
        guard presharedKey.count == Self.presharedKeyByteCount else {
            throw CryptographyError(.wrongLength, reason: "a pre-shared key has \(Self.presharedKeyByteCount) bytes")
        }
        var symmetric = SymmetricState(protocolName: pattern.protocolName)
        symmetric.mixHash(pattern.prologue.span)
        let ours = publicKey(of: staticKey)
        let (initiators, responders) = role == .initiator ? (ours, remoteStaticKey) : (remoteStaticKey, ours)
        for (preMessage, key) in [(pattern.initiatorPreMessage, initiators), (pattern.responderPreMessage, responders)]
        where preMessage.contains(.s) {
            guard let key else { throw .missingKey }
            symmetric.mixHash(key.uncompressed.span)
        }
        self.pattern = pattern
        self.role = role
        self.symmetric = symmetric
        self.presharedKey = consume presharedKey
        self.staticKey = staticKey
        self.remoteStaticKey = remoteStaticKey
        ephemeralKey = nil
        secretWithStaticKey = nil
    }

    /// Takes the ephemeral key of our message before it is our turn, and makes the key agreement that needs nothing
    /// else: the one with the peer's static key.
    ///
    /// - Parameter ephemeralKey: a new key pair that is used for nothing else.
    /// - Throws: `outOfOrder` if there is one already; `libraryFailure`.
    package mutating func prepare(ephemeralKey: consuming P256.PrivateKey) throws(CryptographyError) {
        guard publicKey(of: self.ephemeralKey) == nil else {
            throw CryptographyError(.outOfOrder, reason: "there is an ephemeral key already")
        }
        if let remoteStaticKey { secretWithStaticKey = try ephemeralKey.sharedSecret(with: remoteStaticKey) }
        self.ephemeralKey = consume ephemeralKey
    }

    /// Writes the next message of the pattern.
    ///
    /// - Parameters:
    ///   - ephemeralKey: a new key pair that is used for nothing else.
    ///   - payload: the bytes to seal into the message; the hybrid transport sends none.
    /// - Returns: 65 bytes of public key, then the sealed payload: 81 bytes without a payload (HT-HS-5, HT-HS-12).
    /// - Throws: `outOfOrder` if it is not our turn; `libraryFailure`.
    package mutating func writeMessage(
        ephemeralKey: consuming P256.PrivateKey,
        payload: [UInt8] = []
    ) throws(CryptographyError) -> [UInt8] {
        try checkTurn(isOurs: true)
        try prepare(ephemeralKey: ephemeralKey)
        return try writeMessage(payload: payload)
    }

    /// Writes the next message of the pattern likewise, with the key of ``prepare(ephemeralKey:)``.
    ///
    /// - Throws: `outOfOrder` also if there is no such key.
    package mutating func writeMessage(payload: [UInt8] = []) throws(CryptographyError) -> [UInt8] {
        let tokens = try beginMessage(isOurTurn: true)
        guard let ephemeralPublicKey = publicKey(of: ephemeralKey) else { throw .missingKey }
        var message: [UInt8] = []
        message.reserveCapacity(P256.uncompressedByteCount + payload.count + AES256GCM.tagByteCount)
        message += ephemeralPublicKey.uncompressed
        for token in tokens {
            if token == .e {
                mixEphemeral(message.span)
            } else {
                try mix(token)
            }
        }
        message += try symmetric.encryptAndHash(payload)
        endMessage()
        return message
    }

    /// Reads the next message of the pattern.
    ///
    /// - Parameter message: 65 bytes of public key, then the sealed payload: 81 bytes without a payload.
    /// - Returns: the payload.
    /// - Throws: `wrongLength` below 81 bytes (HT-HS-13), `invalidPoint` (HT-HS-14, HT-HS-15, HT-HS-16),
    ///   `authenticationFailed` (HT-HS-17, HT-HS-20, HT-HS-23); `outOfOrder` if it is our turn.
    ///   After an error the handshake cannot go on.
    package mutating func readMessage(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        let tokens = try beginMessage(isOurTurn: false)
        guard message.count >= P256.uncompressedByteCount + AES256GCM.tagByteCount else {
            throw CryptographyError(.wrongLength, reason: "a handshake message of \(message.count) bytes is too short")
        }
        let point = message.extracting(first: P256.uncompressedByteCount)
        remoteEphemeralKey = try P256.PublicKey(x963: point)
        for token in tokens {
            if token == .e {
                mixEphemeral(point)
            } else {
                try mix(token)
            }
        }
        let payload = try symmetric.decryptAndHash(message.extracting(droppingFirst: P256.uncompressedByteCount))
        endMessage()
        return payload
    }

    /// Ends a handshake whose messages are all done.
    ///
    /// - Returns: the keys of both directions, and the handshake hash: 32 bytes that both ends now share and that name
    ///   this session (HT-HS-26).
    /// - Throws: `outOfOrder` if messages are missing.
    package consuming func finish() throws(CryptographyError) -> HandshakeResult {
        guard messagesDone == pattern.messages.count else {
            throw CryptographyError(.outOfOrder, reason: "the handshake is not complete")
        }
        let hash = symmetric.handshakeHash
        return HandshakeResult(keys: symmetric.split(), handshakeHash: hash)
    }

    private mutating func beginMessage(isOurTurn: Bool) throws(CryptographyError) -> [HandshakePattern.Token] {
        try checkTurn(isOurs: isOurTurn)
        isInMessage = true
        return pattern.messages[messagesDone]
    }

    private func checkTurn(isOurs: Bool) throws(CryptographyError) {
        guard !isInMessage else {
            throw CryptographyError(.outOfOrder, reason: "the handshake has failed before")
        }
        let isInitiatorsTurn = messagesDone.isMultiple(of: 2)
        guard messagesDone < pattern.messages.count, isOurs == (isInitiatorsTurn == (role == .initiator)) else {
            throw CryptographyError(.outOfOrder, reason: "the pattern has no such message here")
        }
    }

    private mutating func endMessage() {
        messagesDone += 1
        isInMessage = false
    }

    /// In a pattern with a pre-shared key an ephemeral key goes into the cipher key too (Noise section 9.2,
    /// HT-HS-8).
    private mutating func mixEphemeral(_ point: Span<UInt8>) {
        symmetric.mixHash(point)
        symmetric.mixKey(point)
    }

    private mutating func mix(_ token: HandshakePattern.Token) throws(CryptographyError) {
        let secret: SecretBytes
        switch (token, role) {
        case (.psk, _):
            guard let key = presharedKey.take() else { throw .missingKey }
            return symmetric.mixKeyAndHash(key.span)
        case (.ee, _): secret = try sharedSecret(ephemeralKey, remoteEphemeralKey)
        case (.es, .initiator), (.se, .responder):
            guard let agreed = secretWithStaticKey.take() else { throw .missingKey }
            secret = agreed
        case (.es, .responder), (.se, .initiator): secret = try sharedSecret(staticKey, remoteEphemeralKey)
        case (.e, _), (.s, _): throw CryptographyError(.outOfOrder, reason: "no pattern here sends a static key")
        }
        symmetric.mixKey(secret.span)
    }
}

private func publicKey(of key: borrowing P256.PrivateKey?) -> P256.PublicKey? {
    switch key {
    case .some(let key): key.publicKey
    case .none: nil
    }
}

/// The result of a key agreement: the X coordinate, 32 bytes (HT-HS-6).
private func sharedSecret(
    _ own: borrowing P256.PrivateKey?,
    _ peer: P256.PublicKey?
) throws(CryptographyError) -> SecretBytes {
    guard let peer else { throw .missingKey }
    switch own {
    case .some(let key): return try key.sharedSecret(with: peer)
    case .none: throw .missingKey
    }
}

/// The product of a finished handshake.
package struct HandshakeResult: ~Copyable, Sendable {
    /// The keys of both directions.
    package let keys: TransportKeys
    /// The final handshake hash: 32 bytes, not secret, different in every session.
    package let handshakeHash: [UInt8]
}

/// The keys of the transport phase, one for each direction.
package struct TransportKeys: ~Copyable, Sendable {
    /// The key that the initiator, the client, seals with: 32 bytes.
    package let initiatorToResponder: SecretBytes
    /// The key that the responder, the authenticator, seals with: 32 bytes.
    package let responderToInitiator: SecretBytes

    /// The length of each key: 32 bytes.
    package static let keyByteCount = AES256GCM.keyByteCount
}

extension CryptographyErrorCode {
    /// A handshake message at another place than the pattern has it, or a key that the pattern needs and that is
    /// missing.
    package static let outOfOrder = Self(rawValue: "out-of-order")
}

extension CryptographyError {
    static var missingKey: Self { Self(.outOfOrder, reason: "the pattern needs a key that is not there") }
}
