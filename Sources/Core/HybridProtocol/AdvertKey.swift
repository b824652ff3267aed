internal import Cryptography

/// Key that encrypts and decrypts the adverts of one session: the EID key (HT-KEY-4, HT-KEY-7).
///
/// A scanner tries it on every advert in the neighbourhood, nearly all of them foreign. That costs one HMAC of 16 bytes
/// and no allocation.
public struct AdvertKey: ~Copyable, Sendable {
    private let cipherKey: SecretBytes
    private var tagKey: HMACSHA256

    /// The length of an EID key: 64 bytes.
    public static let byteCount = AES256Block.keyByteCount + tagKeyByteCount
    /// The length of a sealed advert without its suffix: 20 bytes.
    public static let advertByteCount = AdvertPlaintext.byteCount + tagByteCount
    /// The length of an advert's tag: 4 bytes.
    static let tagByteCount = 4
    private static let tagKeyByteCount = 32

    /// Takes an EID key.
    ///
    /// - Parameter eidKey: 64 bytes: 32 for AES-256, 32 for HMAC-SHA-256.
    /// - Throws: `wrongLength`.
    public init(eidKey: Span<UInt8>) throws(HybridProtocolError) {
        guard eidKey.count == Self.byteCount else {
            throw HybridProtocolError(.wrongLength, reason: "an EID key has \(Self.byteCount) bytes")
        }
        tagKey = HMACSHA256(key: eidKey.extracting(droppingFirst: AES256Block.keyByteCount))
        cipherKey = SecretBytes(copying: eidKey.extracting(first: AES256Block.keyByteCount))
    }

    /// Seals the plaintext of a QR-initiated session (HT-ADV-6, HT-ADV-7).
    ///
    /// - Returns: 20 bytes of service data; a suffix may follow them on the air.
    /// - Throws: `cryptographyFailed`.
    public mutating func seal(_ plaintext: AdvertPlaintext) throws(HybridProtocolError) -> [UInt8] {
        try seal(plaintext.bytes)
    }

    /// Seals the plaintext of a state-assisted session (HT-ADV-6, HT-ADV-7).
    ///
    /// - Returns: 20 bytes of service data.
    /// - Throws: `cryptographyFailed`.
    public mutating func seal(_ plaintext: LinkedAdvertPlaintext) throws(HybridProtocolError) -> [UInt8] {
        try seal(plaintext.bytes)
    }

    private mutating func seal(_ plaintext: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        do {
            var cipher = try AES256Block(key: cipherKey.span, .encrypt)
            let block = try cipher.transform(plaintext.span)
            return block + tagKey.authenticationCode(for: block.span).prefix(Self.tagByteCount)
        } catch { throw HybridProtocolError(error) }
    }

    /// Decrypts the advert of a QR-initiated session by its first 20 bytes (HT-ADV-25, HT-ADV-35).
    ///
    /// - Parameter serviceData: 20 bytes, and a suffix if there is one, which is neither encrypted nor authenticated.
    /// - Throws: `tooShort` below 20 bytes (HT-ADV-8); `badTag` for a foreign advert, which is the usual case
    ///   (HT-ADV-9); `reservedByte` (HT-ADV-11); `unassignedDomain` (HT-ADV-12).
    public mutating func open(_ serviceData: Span<UInt8>) throws(HybridProtocolError) -> OpenedAdvert {
        let plaintext = try AdvertPlaintext(decrypt(serviceData))
        let suffix = AdvertSuffix(serviceData.extracting(droppingFirst: Self.advertByteCount))
        return OpenedAdvert(plaintext: plaintext, suffix: suffix)
    }

    /// Decrypts the advert of a state-assisted session, which names neither routing ID nor domain.
    ///
    /// - Parameter serviceData: as for ``open(_:)``. A suffix is ignored: only the tunnel leads here.
    /// - Throws: `tooShort`, `badTag`, `reservedByte`.
    public mutating func openLinked(_ serviceData: Span<UInt8>) throws(HybridProtocolError) -> LinkedAdvertPlaintext {
        try LinkedAdvertPlaintext(decrypt(serviceData))
    }

    /// The plaintext, once the tag has been compared in constant time (HT-ADV-10).
    private mutating func decrypt(_ serviceData: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        guard serviceData.count >= Self.advertByteCount else {
            throw HybridProtocolError(.tooShort, reason: "an advert has at least 20 bytes")
        }
        let block = serviceData.extracting(first: AdvertPlaintext.byteCount)
        let tag = serviceData.extracting(AdvertPlaintext.byteCount..<Self.advertByteCount)
        guard tagKey.isValid(tag, for: block) else {
            throw HybridProtocolError(.badTag, reason: "the advert belongs to another session")
        }
        do {
            var cipher = try AES256Block(key: cipherKey.span, .decrypt)
            return try cipher.transform(block)
        } catch { throw HybridProtocolError(error) }
    }
}

/// An advert of our session: where its tunnel is, and what else its sender offers.
public struct OpenedAdvert: Sendable, Hashable {
    /// The place of the tunnel.
    public let plaintext: AdvertPlaintext
    /// The bytes after the first 20, read. They are not authenticated.
    public let suffix: AdvertSuffix
}
