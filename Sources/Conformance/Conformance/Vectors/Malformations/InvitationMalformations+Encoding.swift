internal import Encodings

// Contents that are not a map, that end too early or too late, or that say the right thing in another form than the
// canonical one, which two readers may read differently.

extension InvitationMalformations {
    /// Contents that are not one map in canonical CBOR.
    package static let encodings: [Malformation<HonestInvitation, [UInt8]>] =
        [noMaps, cuts, tails, orders, longForms, unusualTypes].flatMap { $0 }

    /// The length of the honest map, by which the last of the cut ones is called: 69 bytes.
    private static let byteCount = 69

    private static let mapRule = "HT-QR-12"

    private static func noMap(_ type: String, _ item: CBORValue) -> Contents {
        Contents("not-a-map-\(type)", "the contents are a \(type)", rule: mapRule, failure: "not-a-map") { _ in
            item.encoded()
        }
    }

    private static func cut(to count: Int) -> Contents {
        Contents(
            "cut-at-\(count)", "the map ends after \(count) bytes of \(byteCount)", rule: mapRule,
            failure: "invalid-cbor"
        ) {
            $0.map.encoded().dropLast(byteCount - count)
        }
    }

    private static func trailing(_ slug: String, _ tail: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Contents {
        Contents("trailing-\(slug)", "bytes follow the map", rule: mapRule, failure: "invalid-cbor") {
            let map = $0.map.encoded()
            return map + tail(map)
        }
    }

    private static let noMaps = [
        noMap("integer", 1).tested("refuse contents that are a number, not a map", as: "number"),
        noMap("text", "FIDO"), noMap("bytes", .bytes(.zeros(20))), noMap("null", .null), noMap("bool", true),
        Contents("not-a-map-array", "the fields as an array instead of a map", rule: mapRule, failure: "not-a-map") {
            CBORValue.array($0.map.entries.map(\.value)).encoded()
        }.tested("refuse contents that are an array, not a map", as: "array"),
    ]

    private static let cuts: [Contents] =
        [Contents("empty", "no bytes", rule: mapRule, failure: "invalid-cbor") { _ in [] }]
        + [1, 2, 3, 17].map { cut(to: $0) } + [
            cut(to: 36).tested("refuse a map of which the second half is missing", as: "half"),
            cut(to: byteCount - 1).tested("refuse a map whose last byte is missing", as: "truncated"),
        ]

    private static let tails = [
        trailing("zero") { _ in [0] }.tested("refuse a byte after the map", as: "trailing-byte"),
        trailing("map") { _ in [0xa0] }, trailing("itself") { $0 },
    ]

    // MARK: - Not canonical

    /// An encoded key and its encoded value, which need not be canonical.
    private typealias Pair = (key: [UInt8], value: [UInt8])

    /// The first byte of a map of fewer than 24 entries, without their number (RFC 8949 section 3.1).
    private static let mapHead: UInt8 = 5 << 5

    private static func encoded(_ pairs: [Pair]) -> [UInt8] {
        [mapHead | UInt8(pairs.count)] + pairs.flatMap { $0.key + $0.value }
    }

    private static func written(
        _ slug: String, _ comment: String, rule: String = "HT-QR-13", _ change: @escaping @Sendable ([Pair]) -> [UInt8]
    ) -> Contents {
        Contents(
            slug, comment, rule: rule, failure: "invalid-cbor", flags: [.notCanonicalCBOR]
        ) {
            change($0.map.entries.map { ($0.key.encoded(), $0.value.encoded()) })
        }
    }

    private static func paired(
        _ slug: String, _ comment: String, rule: String = "HT-QR-13",
        _ change: @escaping @Sendable (inout [Pair]) -> Void
    ) -> Contents {
        written(slug, comment, rule: rule) {
            var pairs = $0
            change(&pairs)
            return encoded(pairs)
        }
    }

    private static let orders = [
        paired("keys-unsorted", "keys 0 and 1 exchanged") { $0.swapAt(0, 1) },
        paired("keys-reversed", "the keys in falling order") { $0.reverse() },
        paired("key-twice", "key 1 twice, with different secrets") {
            $0.insert(($0[1].key, CBORValue.bytes(.zeros(16)).encoded()), at: 2)
        },
        paired("key-twice-same", "key 5 twice, with the same value") { $0.append($0[5]) }
            .tested("refuse a map in which a key occurs twice", as: "duplicate-key"),
        paired("unknown-key-unsorted", "an unknown key out of order") { $0.insert(([0x18, 0x40], [0x00]), at: 3) }
            .tested("refuse a map whose keys are not in canonical order", as: "unsorted-keys"),
    ]

    /// Numbers and lengths in more bytes than they need, or not stated at all.
    private static let longForms = [
        written("long-map-head", "the count of the map in two bytes") {
            [mapHead | 24, UInt8($0.count)] + encoded($0).dropFirst()
        },
        written("indefinite-map", "a map of indefinite length") { [mapHead | 31] + encoded($0).dropFirst() + [0xff] }
            .tested("refuse a map of indefinite length"),
        paired("long-key", "key 2 in two bytes") { $0[2].key = [0x18, 0x02] }
            .tested("refuse a key that is not in its shortest form"),
        paired("long-value", "the value of key 2 in two bytes") { $0[2].value = [0x18, 0x02] },
        // The time has four bytes.
        paired("long-time", "the time in eight bytes") { $0[3].value = [0x1b] + .zeros(4) + $0[3].value.dropFirst() },
        paired("long-byte-string", "the length of the secret in two bytes") {
            $0[1].value = [0x58, 16] + $0[1].value.dropFirst()
        }.tested("refuse a length that is not in its shortest form", as: "long-length"),
        paired("indefinite-byte-string", "the secret as a string of indefinite length") {
            $0[1].value = [0x5f] + $0[1].value + [0xff]
        },
    ]

    private static let unusualTypes = [
        written("tagged", "the map under tag 55799 (self-described CBOR)") { [0xd9, 0xd9, 0xf7] + encoded($0) },
        paired("float-time", "the time as a float") { $0[3].value = [0xfb] + .zeros(8) },
        paired("hint-not-utf-8", "the hint's bytes are not UTF-8", rule: "HT-QR-16") {
            $0[5].value = [0x62, 0xff, 0xfe]
        },
        paired("undefined-value", "an unknown key with the value undefined") { $0.append(([0x07], [0xf7])) },
    ]
}
