public import Cryptography
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

/// The name under which a tunnel service can reach an authenticator for one client (HT-TUN-13).
///
/// It is opaque to the client: for Google's service a push token, for this project's a ``ContactToken``.
public struct ContactID: Sendable, Hashable {
    /// 1 to 4096 bytes.
    public let bytes: [UInt8]

    /// The most bytes that a contact ID is taken with: 4096. No document names a bound; push tokens have less than 400.
    public static let maximumByteCount = 4096

    /// Checks the length.
    ///
    /// - Throws: `wrong-length` unless there are 1 to 4096 bytes.
    public init(_ bytes: [UInt8]) throws(TunnelProtocolError) {
        guard 1...Self.maximumByteCount ~= bytes.count else { throw .contactIDLength }
        self.bytes = bytes
    }

    /// Reads a contact ID as it stands in a tunnel's URL.
    ///
    /// - Parameter base64URL: base64url without padding (RFC 4648 section 5), in its one form: unused bits are zero.
    /// - Throws: `invalid-base64`, `wrong-length`.
    public init(base64URL: String) throws(TunnelProtocolError) {
        guard base64URL.utf8.count <= Base64URL.characterCount(ofBytes: Self.maximumByteCount) else {
            throw .contactIDLength
        }
        guard let bytes = Base64URL.decode(base64URL) else {
            throw TunnelProtocolError(.invalidBase64, reason: "a contact ID in a URL is base64url without padding")
        }
        try self.init(bytes)
    }

    /// The contact ID as it stands in a tunnel's URL: base64url without padding.
    public var base64URL: String { Base64URL.encode(bytes) }
}

extension TunnelProtocolError {
    fileprivate static let contactIDLength = Self(
        .wrongLength, reason: "a contact ID has 1 to \(ContactID.maximumByteCount) bytes")
}

/// The service's name for an authenticator: the first 16 bytes of the SHA-256 of its compressed contact public key.
public struct AuthenticatorID: Sendable, Hashable {
    /// The length of an authenticator ID: 16 bytes.
    public static let byteCount = 16

    package let bytes: [UInt8]

    /// Names the authenticator that owns a key.
    public init(_ key: P256.PublicKey) {
        let compressed = key.compressed
        bytes = Array(SHA256.hash(compressed.span).prefix(Self.byteCount))
    }

    init(checked bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }
}

/// An authenticator's label for one of its contact IDs: 8 bytes of its choice, its link ID.
///
/// It means nothing to the service.
public struct ContactLabel: Sendable, Hashable {
    /// The length of a label: 8 bytes.
    public static let byteCount = MemoryLayout<UInt64>.size

    private let value: UInt64

    /// Makes a label of 8 bytes.
    ///
    /// - Returns: nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        value = bytes.reduce(0) { $0 << UInt64(UInt8.bitWidth) | UInt64($1) }
    }

    /// The 8 bytes.
    public var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
