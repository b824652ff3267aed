internal import CBOR

/// What the service tells an authenticator.
public enum ServiceMessage: Sendable, Equatable {
    /// First of all: what a registration has to sign. 32 bytes.
    case hello(challenge: [UInt8])
    /// The registration holds: contact IDs in the order of its labels, and the challenge for the next one.
    case registered(contactIDs: [[UInt8]], nextChallenge: [UInt8])
    /// A client is here.
    case wake(Wake)

    /// A client that wants to talk to the authenticator.
    public struct Wake: Sendable, Equatable {
        /// By which contact ID it asked: 1 to 4,096 bytes.
        public let contactID: [UInt8]
        /// Where it waits: the 16 bytes of a tunnel ID that nobody else is told.
        public let tunnelID: [UInt8]
        /// Where it waits: the 3 bytes of a routing ID.
        public let routingID: [UInt8]
        /// What it sent along: 1 to 256 bytes.
        public let clientPayload: [UInt8]

        /// Makes a wake.
        public init(contactID: [UInt8], tunnelID: [UInt8], routingID: [UInt8], clientPayload: [UInt8]) {
            self.contactID = contactID
            self.tunnelID = tunnelID
            self.routingID = routingID
            self.clientPayload = clientPayload
        }
    }

    /// How many bytes a tunnel ID has: 16.
    public static let tunnelIDByteCount = 16
    /// How many bytes a routing ID has: 3.
    public static let routingIDByteCount = 3
    /// How many bytes a client payload may have.
    public static let clientPayloadByteCounts = 1...256
    /// How many bytes a contact ID may have.
    public static let contactIDByteCounts = 1...4096
    /// How many bytes an encoded message may have: 64 of the longest contact IDs fit.
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
    public init(decoding bytes: [UInt8]) throws(ContactProtocolError) {
        let map = try MessageMap(decoding: bytes, maximumByteCount: Self.maximumByteCount)
        let challenge = ContactRegistration.challengeByteCount
        switch try map.kind {
        case .hello: self = .hello(challenge: try map.bytes(Self.challengeKey, challenge))
        case .registered:
            self = .registered(
                contactIDs: try map.strings(
                    Self.contactIDsKey, maximumCount: ContactRegistration.maximumLabelCount, Self.contactIDByteCounts),
                nextChallenge: try map.bytes(Self.nextChallengeKey, challenge))
        case .wake:
            self = .wake(
                Wake(
                    contactID: try map.bytes(WakeKey.contactID, Self.contactIDByteCounts),
                    tunnelID: try map.bytes(WakeKey.tunnelID, Self.tunnelIDByteCount),
                    routingID: try map.bytes(WakeKey.routingID, Self.routingIDByteCount),
                    clientPayload: try map.bytes(WakeKey.clientPayload, Self.clientPayloadByteCounts)))
        default: throw ContactProtocolError(.unknownType, reason: "not a message of a service")
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
