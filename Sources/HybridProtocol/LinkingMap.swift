package import CBOR
package import Cryptography

/// What an authenticator tells a client so that it can be reached without a QR code (PROTOCOL.md 7.4), as it travels:
/// every field there and of the right length, the key on the curve, the signature not yet verified.
package struct LinkingMap: ~Copyable {
    let contactID: ContactID
    let linkID: LinkID
    let secret: LinkSecret
    let publicKey: P256.PublicKey
    let name: String
    package let signature: [UInt8]

    private enum Key {
        static let contactID = 1
        static let linkID = 2
        static let secret = 3
        static let publicKey = 4
        static let name = 5
        static let signature = 6
    }

    /// Makes the map of an offer, signed for one session.
    package init(
        _ offer: borrowing LinkOffer,
        clientPublicKey: P256.PublicKey,
        handshakeHash: [UInt8]
    ) throws(HybridProtocolError) {
        let secret = offer.secret.clone()
        let signature: [UInt8]
        do {
            var code = try Self.signer(offer.identityKey, clientPublicKey)
            signature = try code.authenticationCode(for: handshakeHash.span)
        } catch { throw HybridProtocolError(error) }
        contactID = offer.contactID
        linkID = offer.linkID
        self.secret = secret
        publicKey = offer.identityKey.publicKey
        name = offer.name
        self.signature = signature
    }

    /// Reads a map. Other keys, such as Play Services' 999, are ignored.
    ///
    /// - Throws: `missingField`, `wrongType`, `wrongLength`, `invalidPoint`.
    init(_ map: CBORMap) throws(HybridProtocolError) {
        let contactID = try ContactID(Self.required(map, Key.contactID, \.bytesValue))
        let linkID = try LinkID(Self.required(map, Key.linkID, \.bytesValue))
        let secretBytes = try Self.required(map, Key.secret, \.bytesValue)
        let secret = try LinkSecret(SecretBytes(copying: secretBytes.span))
        let publicKey = try P256.PublicKey(linked: Self.required(map, Key.publicKey, \.bytesValue))
        let name = try Self.required(map, Key.name, \.textValue)
        let signature = try Self.required(map, Key.signature, \.bytesValue)
        guard signature.count == HMACSHA256.byteCount else {
            throw HybridProtocolError(.wrongLength, reason: "a linking signature has \(HMACSHA256.byteCount) bytes")
        }
        self.contactID = contactID
        self.linkID = linkID
        self.secret = secret
        self.publicKey = publicKey
        self.name = name
        self.signature = signature
    }

    /// The map as it stands in an update.
    package func cbor() -> CBORMap {
        var map = CBORMap()
        map[Key.contactID] = .bytes(contactID.bytes)
        map[Key.linkID] = .bytes(linkID.bytes)
        map[Key.secret] = .bytes(secret.bytes.span.withUnsafeBufferPointer { Array($0) })
        map[Key.publicKey] = .bytes(publicKey.uncompressed)
        map[Key.name] = .text(name)
        map[Key.signature] = .bytes(signature)
        return map
    }

    /// Checks that the sender owns the public key and signed for this session.
    ///
    /// - Parameters:
    ///   - privateKey: the private half of the key that our QR code showed.
    ///   - handshakeHash: this session's.
    /// - Throws: `badSignature`, `cryptographyFailed`.
    func verify(_ privateKey: borrowing P256.PrivateKey, handshakeHash: [UInt8]) throws(HybridProtocolError) {
        let isGood: Bool
        do {
            var code = try Self.signer(privateKey, publicKey)
            isGood = try code.isValid(signature.span, for: handshakeHash.span)
        } catch { throw HybridProtocolError(error) }
        guard isGood else {
            throw HybridProtocolError(.badSignature, reason: "the linking data was not signed for this session")
        }
    }

    /// What makes the signature, the same for both ends: an HMAC under the Diffie-Hellman secret of the authenticator's
    /// identity key and the client's QR key.
    private static func signer(
        _ own: borrowing P256.PrivateKey,
        _ peer: P256.PublicKey
    ) throws(CryptographyError) -> HMACSHA256 {
        let secret = try own.sharedSecret(with: peer)
        return try HMACSHA256(key: secret.span)
    }

    private static func required<Value>(
        _ map: CBORMap,
        _ key: Int,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value {
        try map.required(key, in: "the linking map", read)
    }
}

extension P256.PublicKey {
    /// Reads the authenticator's key of a link: 65 bytes, uncompressed.
    ///
    /// - Throws: `wrongLength`, `invalidPoint`.
    init(linked point: [UInt8]) throws(HybridProtocolError) {
        guard point.count == P256.uncompressedByteCount else {
            throw HybridProtocolError(
                .wrongLength, reason: "a linked authenticator's key has \(P256.uncompressedByteCount) bytes")
        }
        do { try self.init(x963: point.span) } catch { throw HybridProtocolError(error) }
    }
}

extension CBORMap {
    /// The value of a key that has to be there.
    ///
    /// - Throws: `missingField`, `wrongType`.
    func required<Value>(
        _ key: Int,
        in what: StaticString,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value {
        guard let value = self[key] else {
            throw HybridProtocolError(.missingField, reason: "\(what) lacks key \(key)")
        }
        guard let read = read(value) else {
            throw HybridProtocolError(.wrongType, reason: "key \(key) of \(what) has a wrong type")
        }
        return read
    }
}
