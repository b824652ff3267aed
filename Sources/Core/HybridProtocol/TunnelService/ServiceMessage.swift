internal import Encodings

/// A message of the service to an authenticator (TS-CON-4).
public enum ServiceMessage: Sendable, Equatable {
    /// The first message: the challenge that a registration has to sign, 32 bytes.
    case hello(challenge: [UInt8])
    /// The registration holds: contact IDs in the order of its labels, and the challenge for the next one.
    case registered(contactIDs: [[UInt8]], nextChallenge: [UInt8])
    /// A client asks for the authenticator.
    case wake(Wake)

    /// A client that wants to talk to the authenticator.
    public struct Wake: Sendable, Equatable {
        /// The contact ID by which it asked: 1 to 4,096 bytes.
        public let contactID: [UInt8]
        /// The 16 bytes of the tunnel ID at which it waits. No other peer is told it.
        public let tunnelID: [UInt8]
        /// The 3 bytes of the routing ID at which it waits.
        public let routingID: [UInt8]
        /// The client payload that it sent: 1 to 256 bytes.
        public let clientPayload: [UInt8]

        /// Makes a wake.
        public init(contactID: [UInt8], tunnelID: [UInt8], routingID: [UInt8], clientPayload: [UInt8]) {
            self.contactID = contactID
            self.tunnelID = tunnelID
            self.routingID = routingID
            self.clientPayload = clientPayload
        }
    }

    /// The lengths that a client payload may have, in bytes.
    public static let clientPayloadByteCounts = 1...256
    /// The longest encoded message, in bytes: 64 of the longest contact IDs fit.
    public static let maximumByteCount = 1 << 19

    private static let challengeKey = 1
    private static let contactIDsKey = 1
    private static let nextChallengeKey = 2
    private enum WakeKey {
        static let contactID = 1
        static let tunnelID = 2
        static let routingID = 3
        static let clientPayload = 4
    }

    /// Reads a message, for an authenticator.
    ///
    /// - Throws: `malformed`, `unknown-type`, `missing-field`, `wrong-length`.
    public init(decoding bytes: [UInt8]) throws(TunnelProtocolError) {
        let map = try MessageMap(decoding: bytes, maximumByteCount: Self.maximumByteCount)
        let challenge = ContactRegistration.challengeByteCount
        switch try map.kind {
        case .hello: self = .hello(challenge: try map.bytes(Self.challengeKey, challenge))
        case .registered:
            self = .registered(
                contactIDs: try map.strings(
                    Self.contactIDsKey, maximumCount: ContactRegistration.maximumLabelCount,
                    1...ContactID.maximumByteCount),
                nextChallenge: try map.bytes(Self.nextChallengeKey, challenge))
        case .wake:
            self = .wake(
                Wake(
                    contactID: try map.bytes(WakeKey.contactID, 1...ContactID.maximumByteCount),
                    tunnelID: try map.bytes(WakeKey.tunnelID, TunnelID.byteCount),
                    routingID: try map.bytes(WakeKey.routingID, RoutingID.byteCount),
                    clientPayload: try map.bytes(WakeKey.clientPayload, Self.clientPayloadByteCounts)))
        default: throw TunnelProtocolError(.unknownType, reason: "not a message of a service")
        }
    }

    /// The message in canonical CBOR.
    public func encoded() -> [UInt8] {
        switch self {
        case .hello(let challenge):
            var map = MessageMap(.hello)
            map[Self.challengeKey] = .bytes(challenge)
            return map.encoded
        case .registered(let contactIDs, let nextChallenge):
            var map = MessageMap(.registered)
            map[Self.contactIDsKey] = .array(contactIDs.map { .bytes($0) })
            map[Self.nextChallengeKey] = .bytes(nextChallenge)
            return map.encoded
        case .wake(let wake):
            var map = MessageMap(.wake)
            map[WakeKey.contactID] = .bytes(wake.contactID)
            map[WakeKey.tunnelID] = .bytes(wake.tunnelID)
            map[WakeKey.routingID] = .bytes(wake.routingID)
            map[WakeKey.clientPayload] = .bytes(wake.clientPayload)
            return map.encoded
        }
    }
}
