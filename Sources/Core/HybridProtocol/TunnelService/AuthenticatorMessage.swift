internal import Encodings

/// A message of an authenticator to the service (TS-CON-4).
public enum AuthenticatorMessage: Sendable, Equatable {
    /// A registration. Another one on the same connection replaces the labels.
    case register(ContactRegistration)
    /// The authenticator knows of the client that waits at this tunnel ID (16 bytes), and need not be told again.
    case acknowledge(tunnelID: [UInt8])
    /// The authenticator will not join the client that waits at this tunnel ID (16 bytes).
    case decline(tunnelID: [UInt8])

    /// The longest encoded message, in bytes; a registration of 64 labels fits (TS-CON-5).
    public static let maximumByteCount = 1024

    private enum RegisterKey {
        static let publicKey = 1
        static let signature = 2
        static let labels = 3
        static let listens = 4
    }
    private static let tunnelIDKey = 1

    /// Reads a message, for a service.
    ///
    /// - Throws: `malformed`, `unknown-type`, `missing-field`, `wrong-length`.
    public init(decoding bytes: [UInt8]) throws(TunnelProtocolError) {
        let map = try MessageMap(decoding: bytes, maximumByteCount: Self.maximumByteCount)
        switch try map.kind {
        case .register: self = .register(try Self.registration(map))
        case .acknowledge:
            self = .acknowledge(tunnelID: try map.bytes(Self.tunnelIDKey, TunnelID.byteCount))
        case .decline: self = .decline(tunnelID: try map.bytes(Self.tunnelIDKey, TunnelID.byteCount))
        default: throw TunnelProtocolError(.unknownType, reason: "not a message of an authenticator")
        }
    }

    private static func registration(_ map: MessageMap) throws(TunnelProtocolError) -> ContactRegistration {
        let labelLength = ContactLabel.byteCount
        let labels = try map.strings(
            RegisterKey.labels, maximumCount: ContactRegistration.maximumLabelCount, labelLength...labelLength)
        return ContactRegistration(
            publicKey: try map.bytes(RegisterKey.publicKey, ContactRegistration.publicKeyByteCount),
            signature: try map.bytes(RegisterKey.signature, ContactRegistration.signatureByteCounts),
            labels: labels.compactMap { ContactLabel($0) },
            listens: try map.field(RegisterKey.listens, \.boolValue))
    }

    /// The message in canonical CBOR.
    public func encoded() -> [UInt8] {
        switch self {
        case .register(let registration):
            var map = MessageMap(.register)
            map[RegisterKey.publicKey] = .bytes(registration.publicKey)
            map[RegisterKey.signature] = .bytes(registration.signature)
            map[RegisterKey.labels] = .array(registration.labels.map { .bytes($0.bytes) })
            map[RegisterKey.listens] = .bool(registration.listens)
            return map.encoded
        case .acknowledge(let tunnelID): return Self.encoded(.acknowledge, tunnelID)
        case .decline(let tunnelID): return Self.encoded(.decline, tunnelID)
        }
    }

    private static func encoded(_ kind: MessageMap.Kind, _ tunnelID: [UInt8]) -> [UInt8] {
        var map = MessageMap(kind)
        map[tunnelIDKey] = .bytes(tunnelID)
        return map.encoded
    }
}
