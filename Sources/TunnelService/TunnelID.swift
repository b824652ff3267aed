import Cryptography

/// The 16 bytes that both ends find each other by (PROTOCOL.md 3, 5.1): derived from the QR secret, or drawn here for a client
/// that has an authenticator woken.
///
/// It has no description: whoever knows it can take the other end's place, so it is kept out of logs and errors.
struct TunnelID: Hashable, Sendable {
    /// The length of a tunnel ID: 16 bytes.
    static let byteCount = 16

    private let high: UInt64
    private let low: UInt64

    /// Makes a tunnel ID from 32 hexadecimal digits in either case.
    ///
    /// - Returns: `nil` for anything else.
    init?(hexadecimal text: Substring) {
        guard let bytes = Hexadecimal.bytes(text, count: Self.byteCount) else { return nil }
        self.init(bytes)
    }

    /// Makes a tunnel ID from 16 bytes.
    ///
    /// - Returns: `nil` for any other number.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        let half = Self.byteCount / 2
        high = Self.integer(bytes.prefix(half))
        low = Self.integer(bytes.suffix(half))
    }

    /// Draws a tunnel ID that nobody can guess.
    ///
    /// - Returns: `nil` if the random generator fails.
    static func random() -> TunnelID? { (try? randomBytes(count: byteCount)).flatMap { TunnelID($0) } }

    /// The 16 bytes.
    var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << UInt64(UInt8.bitWidth) | UInt64($1) }
    }
}
