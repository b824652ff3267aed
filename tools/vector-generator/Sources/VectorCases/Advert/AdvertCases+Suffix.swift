internal import Conformance
internal import Encodings

// The suffix of CTAP 2.3 (HT-ADV-25 to HT-ADV-34): whatever is wrong with it, the advert is kept. Only a
// client that offers the BLE channel has to read one.

extension AdvertCases {
    mutating func addSuffixes() throws {
        for suffix in Self.good + Self.ignoredPSMs + Self.ignoredMaps + Self.ignoredBytes { try add(suffix) }
        try layer.valid(
            "suffix-none", "no suffix at all", rule: Self.ignoredRule, operation: "advert.suffix",
            input: ["suffix": .hex([])], flags: [.optional])
        try add(
            Suffix(
                "long", "a long suffix, as extended advertising allows", rule: Self.psmRule,
                [1: 0x80, 9: .bytes(.zeros(200))]))
    }

    /// Adds a suffix twice: alone, and behind an advert.
    private mutating func add(_ suffix: Suffix) throws {
        try layer.valid(
            "suffix-\(suffix.slug)", suffix.comment, rule: suffix.rule, operation: "advert.suffix",
            input: ["suffix": .hex(suffix.bytes)], flags: suffix.flags + [.optional])
        try layer.valid(
            "open-suffix-\(suffix.slug)", "the advert opens with it: \(suffix.comment)", rule: Rule.bytesBehind,
            operation: "advert.open", input: opening(advert + suffix.bytes), flags: suffix.flags + [.optional])
    }

    private struct Suffix {
        let slug: String
        let comment: String
        /// The rule that the suffix by itself is about.
        let rule: String
        let bytes: [UInt8]
        let flags: [CaseFlag]

        init(
            _ slug: String, _ comment: String, rule: String, bytes: [UInt8], _ flags: [CaseFlag] = []
        ) {
            self.slug = slug
            self.comment = comment
            self.rule = rule
            self.bytes = bytes
            self.flags = flags
        }

        init(
            _ slug: String, _ comment: String, rule: String, _ map: CBORMap, _ flags: [CaseFlag] = []
        ) {
            self.init(slug, comment, rule: rule, bytes: map.encoded(), flags)
        }
    }

    private static let psmRule = "HT-ADV-28"
    private static let ignoredRule = "HT-ADV-29"
    private static let badPSMRule = "HT-ADV-30"
    private static let unknownRule = "HT-ADV-32"

    private static let good: [Suffix] = [
        Suffix("psm-128", "PSM 128", rule: psmRule, [1: 128]),
        Suffix("psm-255", "PSM 255", rule: psmRule, [1: 255]),
        Suffix("psm-4660", "PSM 4660", rule: psmRule, [1: 4660]),
        Suffix("psm-65535", "PSM 65535", rule: psmRule, [1: 65535], [.boundary]),
        Suffix(
            "psm-and-unknown", "the PSM among unknown channels", rule: unknownRule,
            [0: 1, 1: 0x80, 2: .bytes([0x78]), 9: [:]]),
    ]

    private static let ignoredPSMs: [Suffix] = [
        Suffix("psm-0", "PSM 0 is no PSM", rule: "HT-ADV-31", [1: 0], [.lenient]),
        Suffix(
            "psm-65536", "a PSM above 16 bits: no BLE channel", rule: badPSMRule, [1: 65536], [.lenient, .boundary]),
        Suffix("psm-huge", "a PSM of 64 bits", rule: badPSMRule, [1: .unsigned(.max)], [.lenient]),
        psm("text", "128"), psm("bytes", .bytes([0x80])), psm("negative", -1), psm("bool", true),
        psm("null", .null), psm("array", [128]),
    ]

    private static func psm(_ type: String, _ value: CBORValue) -> Suffix {
        Suffix("psm-\(type)", "a PSM that is a \(type): no BLE channel", rule: badPSMRule, [1: value], [.lenient])
    }

    private static let ignoredMaps: [Suffix] = [
        Suffix("empty-map", "an empty map: no BLE channel", rule: badPSMRule, [:], [.lenient]),
        Suffix(
            "channel-0", "{0: 1}, Firefox's draft reading: no BLE channel here", rule: "HT-ADV-33", [0: 1],
            [.lenient, .foreign]),
        Suffix("text-key", "the channel as text", rule: unknownRule, ["1": 128], [.lenient]),
    ]

    private static let ignoredBytes: [Suffix] = [
        Suffix("integer", "not a map but an integer: ignored", rule: ignoredRule, bytes: [0x01], [.lenient]),
        Suffix("array", "not a map but an array: ignored", rule: ignoredRule, bytes: [0x81, 0x01], [.lenient]),
        Suffix("garbage", "not CBOR: ignored", rule: ignoredRule, bytes: [0xFF, 0x00, 0x13], [.lenient]),
        Suffix("one-zero", "a single zero byte: ignored", rule: ignoredRule, bytes: [0x00], [.lenient]),
        Suffix("zeros", "zeros, as a radio might pad: ignored", rule: ignoredRule, bytes: .zeros(11), [.lenient]),
        Suffix(
            "cut", "a map that is cut off: ignored", rule: ignoredRule, bytes: [0xA1, 0x01, 0x19, 0x12], [.lenient]),
        Suffix("reserved-info", "a reserved CBOR form: ignored", rule: ignoredRule, bytes: [0x1C], [.lenient]),
        Suffix("break", "a lone break: ignored", rule: ignoredRule, bytes: [0xFF], [.lenient]),
    ]
}
