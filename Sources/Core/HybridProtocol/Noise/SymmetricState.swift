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
