internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The secret in a QR code, or of a link, and the values that both ends derive from it (the article KeyDerivation of
/// HybridProtocol). It lives for one case, and protects nothing.
struct SharedSecret: Sendable {
    /// 16 bytes in a QR code that is as it must be, 32 in a link.
    let bytes: [UInt8]

    /// The tunnel ID: 16 bytes.
    func tunnelID() -> [UInt8] { derive(.tunnelID, [], TunnelID.byteCount) }

    /// Seals the plaintext of an advert, right or wrong: 20 bytes.
    ///
    /// - Parameter nonce: the client's, 16 bytes, where the secret is a link's.
    func seal(advert plaintext: [UInt8], nonce: [UInt8] = []) throws -> [UInt8] {
        try CraftedAdvert(plaintext, eidKey: eidKey(nonce)).bytes
    }

    /// Opens an advert, whatever it says: 16 bytes; nil if it is another session's.
    ///
    /// - Parameter nonce: as for ``seal(advert:nonce:)``.
    func open(advert data: [UInt8], nonce: [UInt8] = []) throws -> [UInt8]? {
        try CraftedAdvert.open(data, eidKey: eidKey(nonce))
    }

    /// The key of adverts: 64 bytes.
    func eidKey(_ nonce: [UInt8] = []) -> [UInt8] { CraftedAdvert.eidKey(bytes, nonce: nonce) }

    /// The pre-shared key that follows from the plaintext of an advert: 32 bytes.
    func presharedKey(_ plaintext: [UInt8]) -> [UInt8] { derive(.presharedKey, plaintext, 32) }

    private func derive(_ purpose: KeySchedule.Purpose, _ salt: [UInt8], _ byteCount: Int) -> [UInt8] {
        KeySchedule.derive(purpose, from: bytes.span, salt: salt.span, byteCount: byteCount).copied()
    }
}

/// The QR code that the runner shows to an authenticator: right, until a case changes its map.
struct TestCode: Sendable {
    /// The private key of the client: 32 bytes.
    let scalar: [UInt8]
    let publicKey: P256.PublicKey
    let secret: SharedSecret
    /// The contents of the code (the article QRCode of HybridProtocol).
    var map: CBORMap

    /// A code that no case has used, of the kind that current Chromium shows for makeCredential.
    init() throws {
        let key = try P256.PrivateKey.generate()
        scalar = try key.scalar().copied()
        publicKey = key.publicKey
        secret = SharedSecret(bytes: randomBytes(count: Invitation.secretByteCount))
        map = [:]
        map[InvitationKey.publicKey] = .bytes(publicKey.compressed)
        map[InvitationKey.secret] = .bytes(secret.bytes)
        map[InvitationKey.knownDomains] = .unsigned(UInt64(TunnelDomain.assignedCount))
        map[InvitationKey.time] = .unsigned(secondsSince1970())
        map[InvitationKey.linking] = false
        map[InvitationKey.hint] = "mc"
    }

    /// The same with another value under a key; none if nil.
    func with(_ key: CBORValue, _ value: CBORValue?) -> Self {
        var code = self
        code.map[key] = value
        return code
    }

    /// The contents, for damage.
    var honest: HonestInvitation {
        HonestInvitation(map: map, publicKey: publicKey) { [secret] count in
            (0..<count).map { secret.bytes[$0 % secret.bytes.count] }
        }
    }

    /// The text of the code.
    var url: String { Self.url(of: map.encoded()) }

    /// The text of a code with any contents.
    static func url(of contents: [UInt8]) -> String { Invitation.urlPrefix + QRDigits.encode(contents.span) }
}

/// The QR code that a client has shown.
struct ScannedCode: Sendable {
    let url: String
    /// The contents, in the order of the client.
    let contents: [UInt8]
    let map: CBORMap
    let publicKey: P256.PublicKey
    let secret: SharedSecret
    /// The edition of CTAP that the code shows: key 6 and hints for digital credentials came with 2.3.
    var edition: Rule.Edition {
        let asksForCredentials = ["dcp", "dci"].contains(map[InvitationKey.hint]?.textValue)
        return map[InvitationKey.channels]?.arrayValue != nil || asksForCredentials ? .ctap23 : .ctap22
    }
    /// True if key 6 offers L2CAP (HT-QR-46, HT-BLE-2).
    var offersNearby: Bool { map[InvitationKey.channels]?.arrayValue?.contains(1) == true }

    /// Reads the text of a code.
    ///
    /// - Throws: ``Deviation`` for one without which no session is possible.
    init(url: String) throws {
        self.url = url
        let digits = Array(url.utf8.dropFirst(Invitation.urlPrefix.utf8.count))
        do {
            let contents = try QRDigits.decode(digits.span)
            let value = try CBORValue.decodeLenient(contents.span)
            guard let map = value.mapValue, let point = map[InvitationKey.publicKey]?.bytesValue,
                let secret = map[InvitationKey.secret]?.bytesValue
            else { throw Deviation("its QR code is not a map with a public key and a secret") }
            publicKey = try P256.PublicKey(x963: point.span)
            self.secret = SharedSecret(bytes: secret)
            self.map = map
            self.contents = contents
        } catch let error as HybridProtocolError {
            throw Deviation("its QR code cannot be read: \(error.reason)")
        } catch let error as CBORError {
            throw Deviation("its QR code is not CBOR: \(error.reason)")
        } catch let error as CryptographyError {
            throw Deviation("the public key in its QR code is not valid: \(error.reason)")
        }
    }
}

extension SecretBytes {
    /// The bytes as an array: they are a case's own, and protect nothing.
    func copied() -> [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}
