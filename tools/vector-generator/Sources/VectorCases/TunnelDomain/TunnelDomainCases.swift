internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The layer tunnel-domain: the article Tunnel service domains of HybridProtocol, and the URLs and headers of
/// requests to a tunnel service.
enum TunnelDomainCases {
    private static let unassignedRule = "HT-DOM-2"
    /// The last number before those whose host name is a hash.
    private static let lastUnassigned: UInt16 = 255
    /// The number of characters of most labels: 62 bits in groups of five, of which leading zeros vanish.
    private static let labelLength = 13
    private static let tunnelIDByteCount = 16
    private static let routingIDByteCount = 3

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var layer = LayerCases(
            "tunnel-domain", prefix: "domain",
            about: "The 16-bit tunnel domain number, its host name, and the URLs on it.")
        for number in [UInt16(0), 1] { try addName(to: &layer, number, "an assigned domain", rule: "HT-DOM-1") }
        for number in [UInt16(2), 3, 4, 7, 16, 31, 64, 100, 127, 128, 200, 254, lastUnassigned] {
            try layer.invalid(
                "unassigned-\(number)", "\(number) is assigned to nobody known", rule: unassignedRule,
                operation: "domain.name", input: ["id": .integer(number)], failure: "unassigned-domain",
                flags: [2, lastUnassigned].contains(number) ? [.boundary] : [])
        }
        try addHashed(to: &layer)
        try addURLs(to: &layer, seed)
        try addWrongURLs(to: &layer)
        try addRoutingIDs(to: &layer)
        try ContactCases.add(to: &layer, seed)
        return layer
    }

    private static func addHashed(to layer: inout LayerCases) throws {
        let (first, last) = (lastUnassigned + 1, UInt16.max)
        let (hashRule, integerRule) = ("HT-DOM-6", "HT-DOM-7")
        let chosen: [(number: UInt16, comment: String, rule: String)] = [
            (first, "the first hashed number", hashRule), (257, "hashed", "HT-DOM-10"),
            (261, "0x0105, whose bytes differ", hashRule), (266, "hashed", "HT-DOM-10"), (63872, "0xf980", integerRule),
            (65534, "hashed", integerRule), (last, "the last number", hashRule),
            (0x0501, "0x0105 with its bytes exchanged", hashRule), (0x8000, "the sign bit of 16 bits", hashRule),
            (0x7fff, "the largest positive 16-bit number", hashRule), (0xff00, "a zero low byte", hashRule),
        ]
        for (number, comment, rule) in chosen {
            try addName(
                to: &layer, number, comment, rule: rule, flags: [first, last].contains(number) ? [.boundary] : [])
        }
        let hosts = try (first...last).map { (number: $0, parts: try host($0).split(separator: ".")) }
        for length in 1..<labelLength {
            for host in hosts.filter({ $0.parts[1].count == length }).prefix(4) {
                try addName(
                    to: &layer, host.number,
                    "a label of only \(length) characters, because leading zero groups vanish", rule: "HT-DOM-9")
            }
        }
        for top in ["com", "org", "net", "info"] {
            let fresh = hosts.filter { $0.number >= 1000 && $0.parts[2] == top && !layer.has("name-\($0.number)") }
            for host in fresh.prefix(3) {
                try addName(to: &layer, host.number, "the top-level domain \(top)", rule: "HT-DOM-8")
            }
        }
    }

    private static func addURLs(to layer: inout LayerCases, _ seed: VectorSeed) throws {
        for number in [0, 1, 266, 256, 65535] {
            let tunnelID = seed.bytes("url/\(number)", tunnelIDByteCount)
            let routingID = seed.bytes("routing/\(number)", routingIDByteCount)
            try layer.valid(
                "new-url-\(number)", "the phone's URL", rule: "HT-TUN-5",
                operation: "tunnel.new-url",
                input: newTunnel(number, tunnelID))
            try layer.valid(
                "connect-url-\(number)", "the client's URL", rule: "HT-TUN-4",
                operation: "tunnel.connect-url", input: connection(number, routingID, tunnelID))
        }
    }

    private static func addWrongURLs(to layer: inout LayerCases) throws {
        let lengthRule = "HT-TUN-6"
        let (routingID, tunnelID): ([UInt8], [UInt8]) = (.zeros(routingIDByteCount), .zeros(tunnelIDByteCount))
        try layer.invalid(
            "new-url-unassigned", "no URL on an unassigned domain", rule: unassignedRule, operation: "tunnel.new-url",
            input: newTunnel(2, tunnelID), failure: "unassigned-domain")
        try layer.invalid(
            "connect-url-unassigned", "no URL on an unassigned domain", rule: unassignedRule,
            operation: "tunnel.connect-url", input: connection(255, routingID, tunnelID), failure: "unassigned-domain")
        for count in [0, 2, 4] {
            try layer.invalid(
                "connect-url-routing-\(count)-bytes", "a routing ID of \(count) bytes", rule: lengthRule,
                operation: "tunnel.connect-url", input: connection(0, .zeros(count), tunnelID), failure: "wrong-length")
        }
        for count in [0, 15, 17] {
            try layer.invalid(
                "new-url-tunnel-\(count)-bytes", "a tunnel ID of \(count) bytes", rule: lengthRule,
                operation: "tunnel.new-url",
                input: newTunnel(0, .zeros(count)), failure: "wrong-length")
        }
    }

    private static func addRoutingIDs(to layer: inout LayerCases) throws {
        let good = [
            ("0a0b0c", "0a0b0c"), ("0a0b0c-upper", "0A0B0C"), ("abcdef-upper", "aBcDeF"), ("000000", "000000"),
            ("ffffff", "ffffff"),
        ]
        for (slug, text) in good {
            try layer.valid(
                "routing-id-\(slug)", "three bytes in hexadecimal, either case", rule: "HT-TUN-40",
                operation: "routing-id.parse", input: ["text": .string(text)])
        }
        let bad = [
            ("empty", "", "wrong-length"), ("two-bytes", "0a0b", "wrong-length"),
            ("four-bytes", "0a0b0c0d", "wrong-length"), ("odd", "0a0b0", "invalid-hex"),
            ("letter", "0a0b0g", "invalid-hex"), ("prefix", "0x0a0b", "invalid-hex"),
            ("space", "0a 0bc", "invalid-hex"), ("plus", "+a0b0c", "invalid-hex"),
            ("full-width", "\u{ff10}a0b0c", "invalid-hex"), ("two-values", "0a0b0c,0a0b0c0", "invalid-hex"),
        ]
        for (slug, text, failure) in bad {
            try layer.invalid(
                "routing-id-\(slug)", "a malformed routing ID (\(slug))", rule: "HT-TUN-41",
                operation: "routing-id.parse",
                input: ["text": .string(text)], failure: failure)
        }
    }

    private static func addName(
        to layer: inout LayerCases, _ number: UInt16, _ comment: String, rule: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "name-\(number)", comment, rule: rule, operation: "domain.name", input: ["id": .integer(number)],
            flags: flags)
    }

    private static func newTunnel(_ domain: Int, _ tunnelID: [UInt8]) -> CaseFields {
        ["domain_id": .integer(domain), "tunnel_id": .hex(tunnelID)]
    }

    private static func connection(_ domain: Int, _ routingID: [UInt8], _ tunnelID: [UInt8]) -> CaseFields {
        ["domain_id": .integer(domain), "routing_id": .hex(routingID), "tunnel_id": .hex(tunnelID)]
    }

    private static func host(_ number: UInt16) throws -> String { try TunnelDomain(number).host() }
}
