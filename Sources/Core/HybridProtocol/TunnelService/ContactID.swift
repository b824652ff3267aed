internal import Encodings

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
