package import Cryptography
internal import Encodings

/// Map by which an authenticator tells a client how to reach it without a QR code, as it is sent: every field there and
/// of the right length (HT-LNK-2, HT-LNK-3), the key on the curve, the signature not yet verified.
package struct LinkingMap: ~Copyable {
    let contactID: ContactID
    let linkID: LinkID
    let secret: LinkSecret
    let publicKey: P256.PublicKey
    let name: String
    package let signature: [UInt8]

    /// The key of the link secret.
    package static let secretKey = 3

    private enum Key {
        static let contactID = 1
        static let linkID = 2
        static let publicKey = 4
        static let name = 5
        static let signature = 6
    }

    /// Makes the map of an offer, signed for one session (HT-LNK-6).
    package init(
        _ offer: borrowing LinkOffer,
        clientPublicKey: P256.PublicKey,
        handshakeHash: [UInt8]
    ) throws(HybridProtocolError) {
        let secret = offer.secret.clone()
        let signature: [UInt8]
        do {
            var code = try Self.signer(offer.identityKey, clientPublicKey)
            signature = code.authenticationCode(for: handshakeHash.span)
        } catch { throw HybridProtocolError(error) }
        contactID = offer.contactID
        linkID = offer.linkID
        self.secret = secret
        publicKey = offer.identityKey.publicKey
        name = offer.name
        self.signature = signature
    }

    /// Reads a map. Other keys, such as Play Services' 999, are ignored (HT-LNK-21).
    ///
    /// - Throws: `missingField` (HT-LNK-23), `wrongType` (HT-LNK-24), `wrongLength` (HT-LNK-25 to
    ///   HT-LNK-28), `invalidPoint` (HT-LNK-29).
    init(_ linking: consuming SecretMap) throws(HybridProtocolError) {
        let map = linking.fields
        let contact = try Self.required(map, Key.contactID, \.bytesValue)
        let contactID: ContactID
        do { contactID = try ContactID(contact) } catch { throw HybridProtocolError(error) }
        let linkID = try LinkID(Self.required(map, Key.linkID, \.bytesValue))
        let secret = try LinkSecret(linking.takeSecret(Self.secretKey, in: "the linking map"))
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

    /// The map as canonical CBOR.
    package func encoded() -> SecretArray {
        SecretArray(withoutSecret.encoded(writing: secret.bytes.span, at: [Self.secretKey]))
    }

    /// The payload of an update with this map: 511 bytes, or more by a multiple of 512.
    package func encodedUpdate() -> SecretArray {
        SecretArray(Update.map(linking: withoutSecret).encoded(writing: secret.bytes.span, at: Update.secretPath))
    }

    /// The map with zeros in the place of the secret.
    private var withoutSecret: CBORMap {
        var map = CBORMap()
        map[Key.contactID] = .bytes(contactID.bytes)
        map[Key.linkID] = .bytes(linkID.bytes)
        map[Self.secretKey] = .bytes([UInt8](repeating: 0, count: LinkSecret.byteCount))
        map[Key.publicKey] = .bytes(publicKey.uncompressed)
        map[Key.name] = .text(name)
        map[Key.signature] = .bytes(signature)
        return map
    }

    /// Checks that the sender owns the public key and signed for this session (HT-LNK-30), in constant time
    /// (HT-LNK-31).
    ///
    /// - Parameters:
    ///   - privateKey: the private half of the key that our QR code showed.
    ///   - handshakeHash: this session's.
    /// - Throws: `badSignature`, `cryptographyFailed`.
    func verify(_ privateKey: borrowing P256.PrivateKey, handshakeHash: [UInt8]) throws(HybridProtocolError) {
        let isGood: Bool
        do {
            var code = try Self.signer(privateKey, publicKey)
            isGood = code.isValid(signature.span, for: handshakeHash.span)
        } catch { throw HybridProtocolError(error) }
        guard isGood else {
            throw HybridProtocolError(.badSignature, reason: "the linking data was not signed for this session")
        }
    }

    /// The signature's key, the same for both ends: an HMAC under the Diffie-Hellman secret of the authenticator's
    /// identity key and the client's QR key.
    private static func signer(
        _ own: borrowing P256.PrivateKey,
        _ peer: P256.PublicKey
    ) throws(CryptographyError) -> HMACSHA256 {
        let secret = try own.sharedSecret(with: peer)
        return HMACSHA256(key: secret.span)
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
