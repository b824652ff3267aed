internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// A link that the runner's authenticator offers to a client.
struct TestLink: Sendable {
    let contactID: [UInt8]
    /// 8 bytes.
    let linkID: [UInt8]
    /// 32 bytes.
    let secret: SharedSecret
    /// The authenticator's static private key: 32 bytes.
    let scalar: [UInt8]
    let publicKey: P256.PublicKey

    private static let contactIDByteCount = 41
    private static let secretByteCount = 32

    /// A link that no case has used.
    ///
    /// - Parameters:
    ///   - contactID: another than random bytes.
    ///   - scalar: that of an authenticator which has a link already.
    init(contactID: [UInt8]? = nil, scalar: [UInt8]? = nil) throws {
        let scalar = try scalar ?? P256.PrivateKey.generate().scalar().copied()
        self.contactID = contactID ?? randomBytes(count: Self.contactIDByteCount)
        linkID = randomBytes(count: LinkID.byteCount)
        secret = SharedSecret(bytes: randomBytes(count: Self.secretByteCount))
        self.scalar = scalar
        publicKey = try P256.PrivateKey(scalar: scalar.span).publicKey
    }

    /// The linking map, signed for a session.
    func map(_ session: LinkableSession) throws -> CBORMap {
        [
            .unsigned(UInt64(LinkingKey.contactID)): .bytes(contactID),
            .unsigned(UInt64(LinkingKey.linkID)): .bytes(linkID),
            .unsigned(UInt64(LinkingKey.secret)): .bytes(secret.bytes),
            .unsigned(UInt64(LinkingKey.publicKey)): .bytes(publicKey.uncompressed),
            .unsigned(UInt64(LinkingKey.name)): "conformance",
            .unsigned(UInt64(LinkingKey.signature)): .bytes(try session.signature(scalar)),
        ]
    }

    /// The linking map with one thing changed.
    func map(_ session: LinkableSession, with key: Int, _ value: CBORValue?) throws -> CBORMap {
        var map = try map(session)
        map[key] = value
        return map
    }

    /// The linking data of a session, for damage.
    func honest(_ session: LinkableSession) throws -> HonestLinkingData {
        HonestLinkingData(
            map: try map(session), sharedSecret: try LinkableSession.sharedSecret(scalar, session.client),
            handshakeHash: session.handshakeHash)
    }

    /// An update with a linking map, of 512 bytes where the map fits.
    static func update(_ map: CBORMap?) -> [UInt8] {
        [TunnelSession.MessageType.update] + Update.encoded(linking: map)
    }
}

/// The client and session for which linking data is signed.
struct LinkableSession: Sendable {
    /// The key that the client's QR code showed.
    let client: P256.PublicKey
    /// 32 bytes.
    let handshakeHash: [UInt8]

    /// The signature of an authenticator: 32 bytes.
    ///
    /// - Parameter scalar: its static private key.
    func signature(_ scalar: [UInt8]) throws -> [UInt8] { try Self.signature(scalar, client, handshakeHash) }

    /// The same from either end: an HMAC under the Diffie-Hellman secret of both static keys.
    static func signature(_ scalar: [UInt8], _ other: P256.PublicKey, _ handshakeHash: [UInt8]) throws -> [UInt8] {
        try hmac(handshakeHash, key: sharedSecret(scalar, other))
    }

    /// The Diffie-Hellman secret of both static keys: 32 bytes.
    static func sharedSecret(_ scalar: [UInt8], _ other: P256.PublicKey) throws -> [UInt8] {
        try P256.PrivateKey(scalar: scalar.span).sharedSecret(with: other).copied()
    }
}
