internal import Encodings

// Its identifiers stand in this module's interface: a module that imports the one needs the other.

/// The name of one link between an authenticator and a client (HT-LNK-3): 8 bytes, chosen by the authenticator.
public struct LinkID: Sendable, Hashable {
    /// 8 bytes.
    public let bytes: [UInt8]

    /// The length of a link ID: 8 bytes.
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
    public var hex: String { Hexadecimal.encode(bytes) }
}

/// The random number of a client for one state-assisted transaction, so that no advert key comes twice (HT-STA-3):
/// 16 bytes.
public struct ClientNonce: Sendable, Hashable {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// The length of a client nonce: 16 bytes.
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
    guard let bytes = Hexadecimal.decode(hex) else {
        throw HybridProtocolError(.invalidHex, reason: "not an even number of hexadecimal digits")
    }
    return bytes
}

extension HybridProtocolError {
    /// The error for a value of the tunnel service that could not be read; the codes have the same names.
    init(_ error: TunnelProtocolError) { self.init(Code(rawValue: error.code.rawValue), from: error) }
}
