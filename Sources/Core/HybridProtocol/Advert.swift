internal import Cryptography
internal import Encodings

/// Plaintext of a QR-initiated advert (HT-ADV-1, HT-ADV-5): the place of the tunnel.
///
///     0        reserved, zero
///     1…10     nonce
///     11…13    routing ID
///     14…15    tunnel domain, little-endian
///
/// All 16 bytes together salt the pre-shared key of the handshake: to know them proves to have heard the advert.
public struct AdvertPlaintext: Sendable, Hashable {
    /// The 16 bytes as they were sealed.
    public let bytes: [UInt8]
    /// The part of the tunnel service that has the tunnel.
    public let routingID: RoutingID
    /// The domain of the tunnel service.
    public let domain: TunnelDomain

    /// The length: 16 bytes.
    public static let byteCount = 16
    /// The length of the nonce: 10 bytes.
    public static let nonceByteCount = 10

    private static let reserved: UInt8 = 0
    private static let nonceStart = 1
    private static let routingIDStart = nonceStart + nonceByteCount
    private static let domainStart = routingIDStart + RoutingID.byteCount

    /// Writes a plaintext.
    ///
    /// - Parameters:
    ///   - nonce: 10 random bytes (HT-ADV-2).
    ///   - routingID: the tunnel service's answer to `new` (HT-ADV-3).
    ///   - domain: the domain of that tunnel service (HT-ADV-4).
    /// - Throws: `wrongLength` for the nonce.
    public init(nonce: [UInt8], routingID: RoutingID, domain: TunnelDomain) throws(HybridProtocolError) {
        guard nonce.count == Self.nonceByteCount else {
            throw HybridProtocolError(.wrongLength, reason: "an advert's nonce has \(Self.nonceByteCount) bytes")
        }
        let number = domain.number
        bytes =
            [Self.reserved] + nonce + routingID.bytes
            + [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        self.routingID = routingID
        self.domain = domain
    }

    /// Reads a plaintext.
    ///
    /// - Parameter bytes: 16 bytes.
    /// - Throws: `wrongLength` (HT-ADV-5), `reservedByte` (HT-ADV-11), `unassignedDomain` (HT-ADV-12).
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        try Self.checkReserved(bytes)
        let routing = Array(bytes[Self.routingIDStart..<Self.domainStart])
        do { routingID = try RoutingID(routing) } catch { throw HybridProtocolError(error) }
        domain = try TunnelDomain(UInt16(bytes[Self.domainStart]) | UInt16(bytes[Self.domainStart + 1]) << 8)
        self.bytes = bytes
    }

    /// The nonce: 10 bytes.
    public var nonce: [UInt8] { Array(bytes[Self.nonceStart..<Self.routingIDStart]) }

    /// The one rule that adverts of state-assisted sessions share: 16 bytes of which the first is zero.
    static func checkReserved(_ bytes: [UInt8]) throws(HybridProtocolError) {
        guard bytes.count == byteCount else {
            throw HybridProtocolError(.wrongLength, reason: "an advert's plaintext has \(byteCount) bytes")
        }
        guard bytes.first == reserved else {
            throw HybridProtocolError(.reservedByte, reason: "the first byte of an advert's plaintext is zero")
        }
    }
}

/// Plaintext of the advert of a state-assisted transaction (HT-STA-46): it says nothing, but its 16 bytes salt the
/// pre-shared key of the handshake (HT-KEY-8), and to know them proves to have heard the advert.
public struct LinkedAdvertPlaintext: Sendable, Hashable {
    /// The 16 bytes as they were sealed: a zero, then the authenticator's 15 random bytes.
    public let bytes: [UInt8]

    /// The number of random bytes that an authenticator draws: 15.
    public static let randomByteCount = AdvertPlaintext.byteCount - 1

    private static let lastDomainByte = AdvertPlaintext.byteCount - 1

    /// Makes a plaintext.
    ///
    /// Chromium reads the last two bytes as a tunnel domain even here, and refuses 2 to 255 (HT-STA-48): numbers
    /// that would read so are drawn out of that range by their high byte. One in 258 is concerned.
    ///
    /// - Parameter random: 15 new random bytes (HT-STA-47).
    /// - Throws: `wrongLength`.
    public init(random: [UInt8]) throws(HybridProtocolError) {
        var bytes = [0] + (try checked(random, Self.randomByteCount, "the random part of a linked advert"))
        if (try? AdvertPlaintext(bytes)) == nil { bytes[Self.lastDomainByte] = 1 }
        self.bytes = bytes
    }

    /// Reads a plaintext. The last bytes are not looked at: no domain is meant (HT-STA-50).
    ///
    /// - Parameter bytes: 16 bytes.
    /// - Throws: `wrongLength`, `reservedByte`.
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        try AdvertPlaintext.checkReserved(bytes)
        self.bytes = bytes
    }
}

/// Suffix after the 20 bytes of an advert in CTAP 2.3: data for other channels than the WebSocket
/// (HT-ADV-26).
///
/// It is neither encrypted nor authenticated, so a bad suffix never spoils an advert: it only offers nothing.
public struct AdvertSuffix: Sendable, Hashable {
    /// The PSM on which the authenticator listens for L2CAP: 1 to 65535 (HT-ADV-31); nil where it offers no such
    /// channel.
    public let psm: UInt16?

    /// The key in the suffix under which the BLE channel has its data (HT-ADV-27, HT-ADV-28).
    private static let bleChannel = Int(ChannelIdentifier.ble.rawValue)

    /// Makes a suffix to be sent.
    public init(psm: UInt16?) { self.psm = psm }

    /// Reads a suffix; whatever is not a map of canonical CBOR (HT-ADV-29), or holds no PSM in range (HT-ADV-30),
    /// offers nothing. Unknown channels are ignored (HT-ADV-32, HT-ADV-33).
    ///
    /// - Parameter bytes: any number of bytes.
    public init(_ bytes: Span<UInt8>) {
        let map = bytes.isEmpty ? nil : (try? CBORValue.decode(bytes))?.mapValue
        psm = map?[Self.bleChannel]?.unsignedValue.flatMap { UInt16(exactly: $0) }.flatMap { $0 == 0 ? nil : $0 }
    }

    /// The bytes to send after an advert: `a1 01` and the PSM; none if there is nothing to offer (HT-ADV-20).
    public var encoded: [UInt8] {
        guard let psm else { return [] }
        var map = CBORMap()
        map[Self.bleChannel] = .unsigned(UInt64(psm))
        return map.encoded()
    }
}

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

/// An advert of our session: the place of its tunnel, and its sender's other offers.
public struct OpenedAdvert: Sendable, Hashable {
    /// The place of the tunnel.
    public let plaintext: AdvertPlaintext
    /// The bytes after the first 20, read. They are not authenticated.
    public let suffix: AdvertSuffix
}
