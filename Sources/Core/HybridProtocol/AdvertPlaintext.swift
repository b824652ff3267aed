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
