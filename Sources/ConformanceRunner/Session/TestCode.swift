internal import CBOR
internal import Cryptography
internal import HybridProtocol

/// What both ends derive from the secret in a QR code, or of a link (PROTOCOL.md 3). The secret lives for one case, and protects
/// nothing.
struct SharedSecret: Sendable {
    /// 16 bytes in a QR code that is as it must be, 32 in a link.
    let bytes: [UInt8]

    /// The tunnel ID: 16 bytes.
    func tunnelID() throws -> [UInt8] { try derive(.tunnelID, [], TunnelID.byteCount) }

    /// Seals the plaintext of an advert, right or wrong: 20 bytes.
    ///
    /// - Parameter nonce: the client's, 16 bytes, where the secret is a link's.
    func seal(advert plaintext: [UInt8], nonce: [UInt8] = []) throws -> [UInt8] {
        let key = try derive(.eidKey, nonce, AdvertKey.byteCount)
        var cipher = try AES256Block(key: key.span.extracting(first: AES256Block.keyByteCount), .encrypt)
        let block = try cipher.transform(plaintext.span)
        return try block + tag(of: block, key)
    }

    /// Opens an advert, whatever it says: 16 bytes; nil if it is another session's.
    ///
    /// - Parameter nonce: as for ``seal(advert:nonce:)``.
    func open(advert data: [UInt8], nonce: [UInt8] = []) throws -> [UInt8]? {
        let key = try derive(.eidKey, nonce, AdvertKey.byteCount)
        let block = Array(data.prefix(AES256Block.blockByteCount))
        let sealed = data.prefix(AdvertKey.advertByteCount)
        guard data.count >= AdvertKey.advertByteCount, try Array(sealed) == block + tag(of: block, key) else {
            return nil
        }
        var cipher = try AES256Block(key: key.span.extracting(first: AES256Block.keyByteCount), .decrypt)
        return try cipher.transform(block.span)
    }

    private func tag(of block: [UInt8], _ key: [UInt8]) throws -> ArraySlice<UInt8> {
        var tag = try HMACSHA256(key: key.span.extracting(droppingFirst: AES256Block.keyByteCount))
        return try tag.authenticationCode(for: block.span).prefix(
            AdvertKey.advertByteCount - AES256Block.blockByteCount)
    }

    /// The pre-shared key that follows from the plaintext of an advert: 32 bytes.
    func presharedKey(_ plaintext: [UInt8]) throws -> [UInt8] { try derive(.presharedKey, plaintext, 32) }

    private func derive(_ purpose: KeySchedule.Purpose, _ salt: [UInt8], _ byteCount: Int) throws -> [UInt8] {
        try KeySchedule.derive(purpose, from: bytes.span, salt: salt.span, byteCount: byteCount).copied()
    }
}

/// The QR code that the runner shows to an authenticator: right, until a case changes its map.
struct TestCode: Sendable {
    /// The private key of the client: 32 bytes.
    let scalar: [UInt8]
    let publicKey: P256.PublicKey
    let secret: SharedSecret
    /// What the code says (PROTOCOL.md 1.3).
    var map: CBORMap

    /// The keys of the map.
    enum Key {
        static let publicKey = 0
        static let secret = 1
        static let knownDomains = 2
        static let timestamp = 3
        static let linking = 4
        static let hint = 5
        static let channels = 6
    }

    /// A code that no case has used, of the kind that current Chromium shows for makeCredential.
    init() throws {
        let key = try P256.PrivateKey.generate()
        scalar = try key.scalar().copied()
        publicKey = key.publicKey
        secret = SharedSecret(bytes: try randomBytes(count: Invitation.secretByteCount))
        map = [:]
        map[Key.publicKey] = .bytes(publicKey.compressed)
        map[Key.secret] = .bytes(secret.bytes)
        map[Key.knownDomains] = .unsigned(UInt64(TunnelDomain.assignedCount))
        map[Key.timestamp] = .unsigned(secondsSince1970())
        map[Key.linking] = false
        map[Key.hint] = "mc"
    }

    /// The same with another value under a key; none if nil.
    func with(_ key: Int, _ value: CBORValue?) -> Self {
        var code = self
        code.map[key] = value
        return code
    }

    /// The text of the code.
    var url: String { Self.url(of: map.encoded()) }

    /// The text of a code with any contents.
    static func url(of contents: [UInt8]) -> String { Invitation.urlPrefix + QRDigits.encode(contents.span) }
}

/// The QR code that a client has shown.
struct ScannedCode: Sendable {
    let url: String
    /// What it says, in the order in which it says it.
    let contents: [UInt8]
    let map: CBORMap
    let publicKey: P256.PublicKey
    let secret: SharedSecret

    /// Reads the text of a code.
    ///
    /// - Throws: ``Deviation`` for one without which no session is possible.
    init(url: String) throws {
        self.url = url
        let digits = Array(url.utf8.dropFirst(Invitation.urlPrefix.utf8.count))
        do {
            let contents = try QRDigits.decode(digits.span)
            let value = try CBORValue.decodeLenient(contents.span)
            guard let map = value.mapValue, let point = map[TestCode.Key.publicKey]?.bytesValue,
                let secret = map[TestCode.Key.secret]?.bytesValue
            else { throw Deviation("its QR code is no map with a public key and a secret") }
            publicKey = try P256.PublicKey(x963: point.span)
            self.secret = SharedSecret(bytes: secret)
            self.map = map
            self.contents = contents
        } catch let error as HybridProtocolError {
            throw Deviation("its QR code cannot be read: \(error.reason)")
        } catch let error as CBORError {
            throw Deviation("its QR code is no CBOR: \(error.reason)")
        } catch let error as CryptographyError {
            throw Deviation("the public key in its QR code is none: \(error.reason)")
        }
    }
}

extension SecretBytes {
    /// The bytes as an array: they are a case's own, and protect nothing.
    func copied() -> [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}
