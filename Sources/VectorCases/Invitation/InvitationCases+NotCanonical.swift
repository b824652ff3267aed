internal import CBOR
internal import JSON

// Maps that say the right thing in another form than the canonical one, which two readers may read differently.

extension InvitationCases {
    /// An encoded key and its encoded value, which need not be canonical.
    private typealias Pair = (key: [UInt8], value: [UInt8])

    /// The first byte of a map of fewer than 24 entries, without their number (RFC 8949 section 3.1).
    private static let mapHead: UInt8 = 5 << 5

    mutating func addNotCanonical() throws {
        let pairs: [Pair] = full.entries.map { ($0.key.encoded(), $0.value.encoded()) }
        try addOrders(pairs)
        try addLongForms(pairs)
        try addOtherTypes(pairs)
    }

    private mutating func addOrders(_ pairs: [Pair]) throws {
        let otherSecret: Pair = (pairs[1].key, CBORValue.bytes(.zeros(Self.secretByteCount)).encoded())
        let maps: [(slug: String, comment: String, pairs: [Pair])] = [
            ("keys-unsorted", "keys 0 and 1 exchanged", [pairs[1], pairs[0]] + pairs[2...]),
            ("keys-reversed", "the keys in falling order", pairs.reversed()),
            ("key-twice", "key 1 twice, with different secrets", pairs[..<2] + [otherSecret] + pairs[2...]),
            ("key-twice-same", "key 5 twice, with the same value", pairs + [pairs[5]]),
            (
                "unknown-key-unsorted", "an unknown key out of order",
                pairs[..<3] + [(key: [0x18, 0x40], value: [0x00])] + pairs[3...]
            ),
        ]
        for (slug, comment, pairs) in maps { try refuse(slug, comment, Self.map(pairs)) }
    }

    /// Numbers and lengths in more bytes than they need, or not stated at all.
    private mutating func addLongForms(_ pairs: [Pair]) throws {
        let entries = pairs.flatMap { $0.key + $0.value }
        let secret = full[Key.secret]?.bytesValue ?? []
        let time = full[Key.time]?.unsignedValue ?? 0
        try refuse(
            "long-map-head", "the count of the map in two bytes", [Self.mapHead | 24, UInt8(pairs.count)] + entries)
        try refuse("indefinite-map", "a map of indefinite length", [Self.mapHead | 31] + entries + [0xff])
        try replace(pairs, 2, key: [0x18, 0x02], "long-key", "key 2 in two bytes")
        try replace(pairs, 2, value: [0x18, 0x02], "long-value", "the value of key 2 in two bytes")
        try replace(pairs, 3, value: [0x1b] + time.bigEndianBytes, "long-time", "the time in eight bytes")
        try replace(
            pairs, 1, value: [0x58, UInt8(secret.count)] + secret, "long-byte-string",
            "the length of the secret in two bytes")
        try replace(
            pairs, 1, value: [0x5f, 0x50] + secret + [0xff], "indefinite-byte-string",
            "the secret as a string of indefinite length")
    }

    private mutating func addOtherTypes(_ pairs: [Pair]) throws {
        try refuse(
            "tagged", "the map under tag 55799 (self-described CBOR)", [0xd9, 0xd9, 0xf7] + Self.map(pairs))
        try replace(pairs, 3, value: [0xfb] + .zeros(8), "float-time", "the time as a float")
        try replace(pairs, 5, value: [0x62, 0xff, 0xfe], "hint-not-utf-8", "the hint's bytes are not UTF-8")
        try refuse(
            "undefined-value", "an unknown key with the value undefined",
            Self.map(pairs + [(key: [0x07], value: [0xf7])]))
    }

    /// A refusal of the map with a key or a value in another form.
    private mutating func replace(
        _ pairs: [Pair], _ index: Int, key: [UInt8]? = nil, value: [UInt8]? = nil, _ slug: String, _ comment: String
    ) throws {
        var pairs = pairs
        pairs[index] = (key ?? pairs[index].key, value ?? pairs[index].value)
        try refuse(slug, comment, Self.map(pairs))
    }

    private static func map(_ pairs: [Pair]) -> [UInt8] {
        [mapHead | UInt8(pairs.count)] + pairs.flatMap { $0.key + $0.value }
    }

    private mutating func refuse(_ slug: String, _ comment: String, _ cbor: [UInt8]) throws {
        try refuse(
            slug, comment, cbor, failure: "invalid-cbor", flags: [.notCanonicalCBOR], certainty: .implied)
    }
}
