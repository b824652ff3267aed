/// The three bytes by which an advert says which instance of a tunnel service holds the tunnel (PROTOCOL.md 4.1, 5.1).
///
/// A service answers `/cable/new` with its routing ID and serves `/cable/connect` for that one only.
public struct RoutingID: Sendable, Hashable {
    /// The length of a routing ID: 3 bytes.
    public static let byteCount = 3

    /// The three bytes, in the order of the wire.
    public let bytes: [UInt8]

    /// The routing ID `00 00 00`.
    public static let zero = RoutingID(checked: [UInt8](repeating: 0, count: byteCount))

    /// Makes a routing ID from 3 bytes.
    ///
    /// - Returns: `nil` for any other length.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Makes a routing ID from 6 hexadecimal digits in either case.
    ///
    /// - Returns: `nil` for anything else.
    public init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(Substring(text), count: Self.byteCount) else { return nil }
        self.bytes = bytes
    }

    private init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// Six lower-case hexadecimal digits, as the header `X-caBLE-Routing-ID` carries them.
    public var hexadecimal: String { Hexadecimal.text(bytes) }
}
