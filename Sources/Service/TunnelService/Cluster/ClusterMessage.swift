import Encodings
import HybridProtocol

/// A message of one node of a service to another (TS-CON-44), which travels in a ``ClusterEnvelope``.
enum ClusterMessage: Sendable, Equatable {
    /// A client waits for the authenticator of the subject, and asked so many milliseconds ago; may leave out when.
    case wake(ServiceMessage.Wake, milliseconds: UInt64?)
    /// The outcome of a wake.
    case outcome(Outcome, seconds: UInt64)
    /// Asks for the number of the node's registration.
    case query
    /// The registration here.
    case number(Registration)
    /// The authenticator of the subject has registered here, so many milliseconds ago, after its node was told of the
    /// registration with this tie, if of any; may leave out when.
    case registered(Registration, milliseconds: UInt64?, replacing: UInt64?)
    /// The authenticator of the subject can be woken by these labels too.
    case labels([ContactLabel])
    /// The authenticator of the subject can be woken again.
    case returned
    /// The authenticator will not join this tunnel (16 bytes), of which it had known.
    case declined(tunnelID: [UInt8])
    /// This process has the routing ID of the subject.
    case present
    /// This process goes on; each message has the next number.
    case alive(number: UInt64)
    /// Asks the process of the subject for a proof that it runs; `missed` if messages of it may not have been believed
    /// that a process which had just begun would not need.
    case challenge(missed: Bool)
    /// The proof, with the number that was told last in `alive`.
    case response(number: UInt64)

    /// The outcome of a wake.
    enum Outcome: UInt64, Sendable {
        /// The authenticator knows of the client.
        case acknowledged = 0
        /// It will not come.
        case declined = 1
        /// It is connected and does not list the label.
        case revoked = 2
        /// It, or the contact, was woken too often; may be tried again after the seconds.
        case limited = 3
        /// It is not connected any more.
        case away = 4
    }

    /// The order of registrations of one key: the greater one is the newer, and of two that were made at the same time,
    /// any.
    struct Registration: Sendable, Equatable, Comparable {
        /// One more than the number of the registration that it replaces.
        var number: UInt64
        /// Drawn at random: 64 bits.
        var tie: UInt64

        static func < (left: Self, right: Self) -> Bool { (left.number, left.tie) < (right.number, right.tie) }
    }

    /// The reason for which a message is dropped.
    enum Violation: String, Error, CaseIterable {
        /// It is none, or too long, or makes no sense where it came.
        case malformed
        /// It is of another version.
        case version
        /// Its code is not one of this service's, or it was meant for another place.
        case forged
        /// It, or a later one of its process, has come before.
        case replayed
        /// Its process has not proved yet that it runs.
        case unproven
    }

    /// The longest message, bytes: a wake with the longest contact ID fits.
    static let maximumByteCount = 8_192
    /// The greatest number of a registration that another node is believed: counting on from it never overflows.
    static let maximumNumber: UInt64 = 1 << 62

    /// True for a question that changes nothing where it is answered.
    var isPureQuestion: Bool {
        switch self {
        case .query, .present, .challenge: true
        default: false
        }
    }

    private static let limits = CBORLimits(maxDepth: 4, maxItems: 256, maxBytes: maximumByteCount)

    private enum Key {
        static let kind = 1
        static let first = 2
        static let second = 3
        static let third = 4
        static let fourth = 5
    }

    private enum Kind: UInt64 {
        case wake = 1
        case outcome = 2
        case query = 3
        case number = 4
        case registered = 5
        case labels = 6
        case returned = 7
        case declined = 8
        case present = 9
        case alive = 10
        case challenge = 11
        case response = 12
    }

    /// Reads a message. Keys that it does not know are passed over.
    init(decoding bytes: [UInt8]) throws(Violation) {
        guard bytes.count <= Self.maximumByteCount, let map = try? CBORValue.decode(bytes.span, limits: Self.limits),
            let fields = map.mapValue, let kind = fields[Key.kind]?.unsignedValue.flatMap(Kind.init(rawValue:)),
            let message = Self.read(kind, fields)
        else { throw .malformed }
        self = message
    }

    private static func read(_ kind: Kind, _ fields: CBORMap) -> ClusterMessage? {
        let (first, second) = (fields[Key.first], fields[Key.second])
        switch kind {
        case .wake:
            guard let bytes = first?.bytesValue, case .wake(let wake) = try? ServiceMessage(decoding: bytes) else {
                return nil
            }
            return .wake(wake, milliseconds: second?.unsignedValue)
        case .outcome:
            guard let outcome = first?.unsignedValue.flatMap(Outcome.init(rawValue:)),
                let seconds = second?.unsignedValue
            else { return nil }
            return .outcome(outcome, seconds: seconds)
        case .query: return .query
        case .number: return registration(first, second).map { .number($0) }
        case .registered:
            return registration(first, second).map { registration in
                .registered(
                    registration, milliseconds: fields[Key.third]?.unsignedValue,
                    replacing: fields[Key.fourth]?.unsignedValue)
            }
        case .labels:
            guard let list = first?.arrayValue, list.count <= ContactRegistration.maximumLabelCount else { return nil }
            let labels = list.compactMap { $0.bytesValue.flatMap { ContactLabel($0) } }
            return labels.count == list.count ? .labels(labels) : nil
        case .returned: return .returned
        case .declined:
            guard let bytes = first?.bytesValue, bytes.count == TunnelID.byteCount else { return nil }
            return .declined(tunnelID: bytes)
        case .present: return .present
        case .alive: return first?.unsignedValue.map { .alive(number: $0) }
        case .challenge: return first?.boolValue.map { .challenge(missed: $0) }
        case .response: return first?.unsignedValue.map { .response(number: $0) }
        }
    }

    private static func registration(_ number: CBORValue?, _ tie: CBORValue?) -> Registration? {
        guard let number = number?.unsignedValue, number <= maximumNumber, let tie = tie?.unsignedValue else {
            return nil
        }
        return Registration(number: number, tie: tie)
    }

    /// The message in canonical CBOR.
    var encoded: [UInt8] {
        let (kind, first, second): (Kind, CBORValue?, CBORValue?) =
            switch self {
            case .wake(let wake, let milliseconds):
                (.wake, .bytes(ServiceMessage.wake(wake).encoded()), milliseconds.map { .unsigned($0) })
            case .outcome(let outcome, let seconds): (.outcome, .unsigned(outcome.rawValue), .unsigned(seconds))
            case .query: (.query, nil, nil)
            case .number(let registration):
                (.number, .unsigned(registration.number), .unsigned(registration.tie))
            case .registered(let registration, _, _):
                (.registered, .unsigned(registration.number), .unsigned(registration.tie))
            case .labels(let labels): (.labels, .array(labels.map { .bytes($0.bytes) }), nil)
            case .returned: (.returned, nil, nil)
            case .declined(let tunnelID): (.declined, .bytes(tunnelID), nil)
            case .present: (.present, nil, nil)
            case .alive(let number): (.alive, .unsigned(number), nil)
            case .challenge(let missed): (.challenge, .bool(missed), nil)
            case .response(let number): (.response, .unsigned(number), nil)
            }
        var map = CBORMap()
        map[Key.kind] = .unsigned(kind.rawValue)
        map[Key.first] = first
        map[Key.second] = second
        if case .registered(_, let milliseconds, let replaced) = self {
            map[Key.third] = milliseconds.map { .unsigned($0) }
            map[Key.fourth] = replaced.map { .unsigned($0) }
        }
        return CBORValue.map(map).encoded()
    }
}

/// The subjects of the bus. IDs are in hexadecimal digits.
enum ClusterSubject {
    /// That of the process which has this routing ID.
    static func node(_ routingID: RoutingID) -> String { "hybrid.node.\(routingID.hex)" }
    /// That of the node where this authenticator waits to be woken.
    static func authenticator(_ id: AuthenticatorID) -> String {
        "hybrid.authenticator.\(Hexadecimal.encode(id.bytes))"
    }
    /// That of the nodes whose clients wait for this authenticator.
    static func waiting(_ id: AuthenticatorID) -> String { "hybrid.waiting.\(Hexadecimal.encode(id.bytes))" }
    /// That of all nodes, for tunnels that are declined.
    static let declined = "hybrid.declined"
    /// That of this process.
    static func process(_ name: [UInt8]) -> String { "hybrid.process.\(Hexadecimal.encode(name))" }
    /// That of all nodes, for the messages `alive`.
    static let alive = "hybrid.alive"
}
