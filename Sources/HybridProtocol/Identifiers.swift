/// The name under which both ends meet at the tunnel service, derived from the QR secret (PROTOCOL.md 3): 16 bytes.
public struct TunnelID: Sendable, Hashable {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// How many bytes a tunnel ID has: 16.
    public static let byteCount = 16

    /// Checks the length.
    ///
    /// - Throws: `wrongLength` unless there are 16 bytes.
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        self.bytes = try checked(bytes, Self.byteCount, "a tunnel ID")
    }

    /// Reads 32 hexadecimal digits of either case.
    ///
    /// - Throws: `invalidHex`, `wrongLength`.
    public init(hex: String) throws(HybridProtocolError) { try self.init(decoded(hex: hex)) }

    /// 32 lower-case hexadecimal digits, as they stand in a tunnel's URL.
    public var hex: String { hexDigits(bytes) }
}

/// Which part of a tunnel service a tunnel is at; the service tells the authenticator, the advert tells the client
/// (PROTOCOL.md 4.1, 5.1): 3 bytes.
public struct RoutingID: Sendable, Hashable {
    /// 3 bytes.
    public let bytes: [UInt8]

    /// How many bytes a routing ID has: 3.
    public static let byteCount = 3

    /// Checks the length.
    ///
    /// - Throws: `wrongLength` unless there are 3 bytes.
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        self.bytes = try checked(bytes, Self.byteCount, "a routing ID")
    }

    /// Reads 6 hexadecimal digits of either case, as the header `X-caBLE-Routing-ID` carries them.
    ///
    /// - Throws: `invalidHex`, `wrongLength`.
    public init(hex: String) throws(HybridProtocolError) { try self.init(decoded(hex: hex)) }

    /// 6 lower-case hexadecimal digits.
    public var hex: String { hexDigits(bytes) }
}

/// The name of one link between an authenticator and a client (PROTOCOL.md 7.4): 8 bytes, chosen by the authenticator.
public struct LinkID: Sendable, Hashable {
    /// 8 bytes.
    public let bytes: [UInt8]

    /// How many bytes a link ID has: 8.
    public static let byteCount = 8

    /// Checks the length.
    ///
    /// - Throws: `wrongLength` unless there are 8 bytes.
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        self.bytes = try checked(bytes, Self.byteCount, "a link ID")
    }

    /// Reads 16 hexadecimal digits of either case.
    ///
    /// - Throws: `invalidHex`, `wrongLength`.
    public init(hex: String) throws(HybridProtocolError) { try self.init(decoded(hex: hex)) }

    /// 16 lower-case hexadecimal digits.
    public var hex: String { hexDigits(bytes) }
}

/// What a client draws for one state-assisted transaction, so that no advert key comes twice (PROTOCOL.md 8): 16 bytes.
public struct ClientNonce: Sendable, Hashable {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// How many bytes a client nonce has: 16.
    public static let byteCount = 16

    /// Checks the length.
    ///
    /// - Parameter bytes: new random bytes, used for one transaction.
    /// - Throws: `wrongLength` unless there are 16 bytes.
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        self.bytes = try checked(bytes, Self.byteCount, "a client nonce")
    }
}

func checked(
    _ bytes: [UInt8],
    _ byteCount: Int,
    _ what: StaticString
) throws(HybridProtocolError) -> [UInt8] {
    guard bytes.count == byteCount else {
        throw HybridProtocolError(.wrongLength, reason: "\(what) has \(byteCount) bytes, not \(bytes.count)")
    }
    return bytes
}

func decoded(hex: String) throws(HybridProtocolError) -> [UInt8] {
    var digits: [UInt8] = []
    for character in hex.utf8 {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(character - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(character - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(character - UInt8(ascii: "A") + 10)
        default: throw HybridProtocolError(.invalidHex, reason: "not a hexadecimal digit")
        }
    }
    guard digits.count.isMultiple(of: 2) else {
        throw HybridProtocolError(.invalidHex, reason: "an odd number of hexadecimal digits")
    }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hexDigits(_ bytes: [UInt8]) -> String {
    let alphabet = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }, as: UTF8.self)
}
