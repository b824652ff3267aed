internal import Encodings

/// The part of a tunnel service that holds a tunnel (HT-ADV-3, HT-TUN-39).
///
/// The service tells the authenticator in its answer to `/cable/new/`, the advert tells the client.
public struct RoutingID: Sendable, Hashable {
    /// The length of a routing ID: 3 bytes.
    public static let byteCount = 3

    /// The 3 bytes, in the order of the wire.
    public let bytes: [UInt8]

    /// The routing ID `00 00 00`.
    public static let zero = RoutingID(checked: [UInt8](repeating: 0, count: byteCount))

    /// Checks the length.
    ///
    /// - Throws: `wrong-length` unless there are 3 bytes.
    public init(_ bytes: [UInt8]) throws(TunnelProtocolError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongLength("a routing ID", bytes.count, expected: Self.byteCount)
        }
        self.bytes = bytes
    }

    /// Reads 6 hexadecimal digits of either case, as ``TunnelHeader/routingID`` carries them.
    ///
    /// - Throws: `invalid-hex`, `wrong-length`.
    public init(hex: some StringProtocol) throws(TunnelProtocolError) {
        guard let bytes = Hexadecimal.decode(hex) else { throw .invalidHex }
        try self.init(bytes)
    }

    private init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// The 6 lower-case hexadecimal digits.
    public var hex: String { Hexadecimal.encode(bytes) }
}
