internal import CBOR
internal import TestVectors

// The suffix of CTAP 2.3 (PROTOCOL.md 4.4): whatever is wrong with it, the advert is kept.

extension AdvertCases {
    mutating func addSuffixes() throws {
        for suffix in Self.good + Self.ignoredPSMs + Self.ignoredMaps + Self.ignoredBytes { try add(suffix) }
        try layer.valid(
            "suffix-none", "no suffix at all", rule: Rule.suffix, operation: "advert.suffix",
            input: ["suffix": .hex([])])
        try add(Suffix("long", "a long suffix, as extended advertising allows", [1: 0x80, 9: .bytes(.zeros(200))]))
    }

    /// Adds a suffix twice: alone, and behind an advert.
    private mutating func add(_ suffix: Suffix) throws {
        try layer.valid(
            "suffix-\(suffix.slug)", suffix.comment, rule: Rule.suffix, operation: "advert.suffix",
            input: ["suffix": .hex(suffix.bytes)], flags: suffix.flags, certainty: suffix.certainty)
        try layer.valid(
            "open-suffix-\(suffix.slug)", "the advert opens with it: \(suffix.comment)", rule: Rule.suffix,
            operation: "advert.open", input: opening(advert + suffix.bytes), flags: suffix.flags,
            certainty: suffix.certainty)
    }

    private struct Suffix {
        let slug: String
        let comment: String
        let bytes: [UInt8]
        let flags: [CaseFlag]
        let certainty: Certainty

        init(
            _ slug: String, _ comment: String, bytes: [UInt8], _ flags: [CaseFlag] = [],
            _ certainty: Certainty = .secondHand
        ) {
            self.slug = slug
            self.comment = comment
            self.bytes = bytes
            self.flags = flags
            self.certainty = certainty
        }

        init(
            _ slug: String, _ comment: String, _ map: CBORMap, _ flags: [CaseFlag] = [],
            _ certainty: Certainty = .secondHand
        ) {
            self.init(slug, comment, bytes: map.encoded(), flags, certainty)
        }
    }

    private static let good: [Suffix] = [
        Suffix("psm-128", "PSM 128", [1: 128]),
        Suffix("psm-255", "PSM 255", [1: 255]),
        Suffix("psm-4660", "PSM 4660", [1: 4660]),
        Suffix("psm-65535", "PSM 65535", [1: 65535], [.boundary]),
        Suffix("psm-and-unknown", "the PSM among unknown channels", [0: 1, 1: 0x80, 2: .bytes([0x78]), 9: [:]]),
    ]

    private static let ignoredPSMs: [Suffix] = [
        Suffix("psm-0", "PSM 0 is no PSM", [1: 0], [.lenient], .implied),
        Suffix("psm-65536", "a PSM above 16 bits: no BLE channel", [1: 65536], [.lenient, .boundary]),
        Suffix("psm-huge", "a PSM of 64 bits", [1: .unsigned(.max)], [.lenient]),
        psm("text", "128"), psm("bytes", .bytes([0x80])), psm("negative", -1), psm("bool", true),
        psm("null", .null), psm("array", [128]),
    ]

    private static func psm(_ type: String, _ value: CBORValue) -> Suffix {
        Suffix("psm-\(type)", "a PSM that is a \(type): no BLE channel", [1: value], [.lenient])
    }

    private static let ignoredMaps: [Suffix] = [
        Suffix("empty-map", "an empty map: no BLE channel", [:], [.lenient]),
        Suffix(
            "channel-0", "{0: 1}, Firefox's draft reading: no BLE channel here", [0: 1], [.lenient, .foreign],
            .disputed),
        Suffix("text-key", "the channel as text", ["1": 128], [.lenient]),
    ]

    private static let ignoredBytes: [Suffix] = [
        Suffix("integer", "not a map but an integer: ignored", bytes: [0x01], [.lenient]),
        Suffix("array", "not a map but an array: ignored", bytes: [0x81, 0x01], [.lenient]),
        Suffix("garbage", "not CBOR: ignored", bytes: [0xFF, 0x00, 0x13], [.lenient]),
        Suffix("one-zero", "a single zero byte: ignored", bytes: [0x00], [.lenient]),
        Suffix("zeros", "zeros, as a radio might pad: ignored", bytes: .zeros(11), [.lenient]),
        Suffix("cut", "a map that is cut off: ignored", bytes: [0xA1, 0x01, 0x19, 0x12], [.lenient]),
        Suffix("reserved-info", "a reserved CBOR form: ignored", bytes: [0x1C], [.lenient]),
        Suffix("break", "a lone break: ignored", bytes: [0xFF], [.lenient]),
    ]
}
