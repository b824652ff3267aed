internal import Cryptography
internal import Encodings

/// The name of a tunnel: derived from the QR secret (HT-KEY-5), or drawn by the service for a client that has an
/// authenticator woken (TS-CON-25).
///
/// It is kept out of logs and errors: with it an unauthenticated peer can take the other end's place.
public struct TunnelID: Sendable, Hashable {
    /// The length of a tunnel ID: 16 bytes.
    public static let byteCount = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Checks the length.
    ///
    /// - Throws: `wrong-length` unless there are 16 bytes.
    public init(_ bytes: [UInt8]) throws(TunnelProtocolError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongLength("a tunnel ID", bytes.count, expected: Self.byteCount)
        }
        self.bytes = bytes
    }

    /// Reads 32 hexadecimal digits of either case.
    ///
    /// - Throws: `invalid-hex`, `wrong-length`.
    public init(hex: some StringProtocol) throws(TunnelProtocolError) {
        guard let bytes = Hexadecimal.decode(hex) else { throw .invalidHex }
        try self.init(bytes)
    }

    private init(random bytes: [UInt8]) { self.bytes = bytes }

    /// Draws a tunnel ID that cannot be guessed.
    public static func random() -> TunnelID { TunnelID(random: randomBytes(count: byteCount)) }

    /// The 32 lower-case hexadecimal digits that stand in a tunnel's URL.
    public var hex: String { Hexadecimal.encode(bytes) }
}
