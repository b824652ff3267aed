internal import Conformance
internal import Encodings

/// The layer `cbor`: CTAP2's canonical form (the article CanonicalCBOR of HybridProtocol).
enum CBORCases {
    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var layer = LayerCases(
            "cbor", prefix: "cbor",
            about: "CTAP2 canonical CBOR: what strict decoding takes, and why it refuses the rest.")
        try addIntegers(to: &layer)
        try addStrings(to: &layer)
        try addOthers(to: &layer)
        try addLongForms(to: &layer)
        try addOrders(to: &layer)
        try addUnsortedKeys(to: &layer)
        try addDuplicateKeys(to: &layer)
        try addTruncated(to: &layer)
        try addForms(to: &layer)
        try addTexts(to: &layer)
        try addDepths(to: &layer)
        return layer
    }

    private static func addIntegers(to layer: inout LayerCases) throws {
        let integers: [(slug: String, integer: Int128)] = [
            ("zero", 0), ("23", 23), ("24", 24), ("255", 0xff), ("256", 0x100), ("65535", 0xffff),
            ("65536", 0x1_0000), ("32-bit", 0xffff_ffff), ("33-bit", 0x1_0000_0000),
            ("63-bit", Int128(Int64.max)), ("64-bit", -Int128(Int64.min)), ("largest", Int128(UInt64.max)),
            ("minus-1", -1), ("minus-24", -24), ("minus-25", -25), ("minus-256", -0x100), ("minus-257", -0x101),
            ("minus-63-bit", Int128(Int64.min)), ("most-negative", -1 - Int128(UInt64.max)),
        ]
        for (slug, integer) in integers {
            // -1 - n is written as n.
            let item: CBORValue = integer < 0 ? .negative(UInt64(-1 - integer)) : .unsigned(UInt64(integer))
            // Some decoders stop at 63 bits.
            let isLong = integer > Int128(Int64.max) || integer < Int128(Int64.min)
            try keep(
                &layer, "integer-\(slug)", "the integer \(integer)", rule: isLong ? "HT-CBOR-8" : "HT-CBOR-1",
                item: item)
        }
    }

    private static func addStrings(to layer: inout LayerCases) throws {
        for count in [0, 1, 23, 24, 0xff, 0x100] {
            try keep(
                &layer, "bytes-\(count)", "a byte string of \(count) bytes", rule: "HT-CBOR-1",
                item: .bytes(.zeros(count)))
            let text = String(repeating: "a", count: count)
            try keep(&layer, "text-\(count)", "a text of \(count) bytes", rule: "HT-CBOR-1", item: .text(text))
        }
        try keep(
            &layer, "bytes-65536", "a byte string of 65536 bytes", rule: "HT-CBOR-1", item: .bytes(.zeros(0x1_0000)))
        try keep(
            &layer, "text-utf-8", "text of characters of 1 to 4 bytes", rule: "HT-CBOR-7",
            item: "a\u{fc}\u{6c34}\u{1d11e}")
        try keep(&layer, "text-nul", "text with a zero byte", rule: "HT-CBOR-7", item: "a\0b")
    }

    private static func addOthers(to layer: inout LayerCases) throws {
        let items: [(slug: String, rule: String, item: CBORValue)] = [
            ("empty-array", "HT-CBOR-2", []), ("empty-map", "HT-CBOR-2", [:]),
            ("array-24", "HT-CBOR-2", .array(Array(repeating: 0, count: 24))),
            ("true", "HT-CBOR-7", true), ("false", "HT-CBOR-7", false), ("null", "HT-CBOR-7", .null),
            ("nested", "HT-CBOR-21", [1: [["a": [1]]]]),
            ("mixed-array", "HT-CBOR-21", [1, -1, .bytes([]), "", true, .null]),
        ]
        for (slug, rule, item) in items {
            let comment = String(slug.map { $0 == "-" ? " " : $0 })
            try keep(&layer, slug, comment, rule: rule, item: item)
        }
    }

    private static func addOrders(to layer: inout LayerCases) throws {
        let maps: [(slug: String, comment: String, map: CBORValue)] = [
            ("type-first", "integers before byte strings before text", [100000: 0, .bytes([]): 0, "": 0]),
            ("negative-after", "unsigned before negative, whatever their length", [0x100_0000_0000: 0, -1: 0]),
            ("length", "id before name before displayName", ["id": 0, "name": 0, "displayName": 0]),
            ("bytes", "of the same length, by bytes", ["rk": 0, "uv": 0]),
            ("integers", "numeric order", [1: 0, 23: 0, 24: 0, 255: 0, 256: 0]),
        ]
        for (slug, comment, map) in maps { try keep(&layer, "order-\(slug)", comment, rule: "HT-CBOR-3", item: map) }
    }

    /// A case of an item that is read, and written again as it was.
    private static func keep(
        _ layer: inout LayerCases, _ slug: String, _ comment: String, rule: String, item: CBORValue
    ) throws {
        try layer.valid(slug, comment, rule: rule, operation: "cbor.canonical", input: ["cbor": .hex(item.encoded())])
    }
}
