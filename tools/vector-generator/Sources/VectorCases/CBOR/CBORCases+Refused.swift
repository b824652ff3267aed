internal import Conformance
internal import Encodings

// Items that strict decoding refuses. They are written in hexadecimal digits, as no encoder would write them.

extension CBORCases {
    /// Numbers and lengths in more bytes than they need.
    static func addLongForms(to layer: inout LayerCases) throws {
        for (major, what) in ["integer", "negative", "bytes", "text", "array", "map"].enumerated() {
            for (exponent, width) in [1, 2, 4, 8].enumerated() {
                // The initial byte: the major type in three bits, then 24 to 27 for 1, 2, 4 and 8 bytes.
                let initial = UInt8(major << 5 | 24 + exponent)
                try layer.invalid(
                    "long-\(what)-\(width)", "\(what): the number 0 in \(width) more bytes than needed",
                    rule: "HT-CBOR-9", operation: "cbor.canonical", input: ["cbor": .hex([initial] + .zeros(width))],
                    failure: "not-canonical",
                    flags: [.notCanonicalCBOR])
            }
        }
        let items = [
            ("23-in-1", "1817"), ("255-in-2", "1900ff"), ("65535-in-4", "1a0000ffff"),
            ("32-bit-in-8", "1b00000000ffffffff"),
        ]
        for (slug, item) in items {
            try refuse(
                &layer, "long-\(slug)", "the largest value that the next shorter form holds", rule: "HT-CBOR-9",
                item: item, failure: "not-canonical", flags: [.notCanonicalCBOR, .boundary])
        }
    }

    static func addUnsortedKeys(to layer: inout LayerCases) throws {
        let maps = [
            ("two-integers", "a202000100", "key 2 before key 1"),
            ("length", "a2646e616d650062696400", "name before id"),
            ("bytes", "a26275760062726b00", "uv before rk"),
            ("types", "a26161000100", "text before an integer"),
            ("negative-first", "a220000000", "-1 before 0"),
            ("nested", "a101a202000100", "inside a value"),
            ("in-array", "81a202000100", "inside an array"),
            ("bytewise-not-canonical", "a21864000a00", "100 before 10: longer first"),
        ]
        for (slug, map, comment) in maps {
            try refuse(
                &layer, "unsorted-\(slug)", "keys out of order: \(comment)", rule: "HT-CBOR-11", item: map,
                failure: "unsorted-keys", flags: [.notCanonicalCBOR])
        }
    }

    static func addDuplicateKeys(to layer: inout LayerCases) throws {
        let maps = [
            ("integer", "a201000100"), ("text", "a2616100616101"), ("bytes", "a2410000410000"),
            ("third", "a3010002000200"), ("nested", "a101a201000100"),
        ]
        for (slug, map) in maps {
            try refuse(
                &layer, "duplicate-\(slug)", "a key twice (\(slug))", rule: "HT-CBOR-12", item: map,
                failure: "duplicate-key", flags: [.notCanonicalCBOR])
        }
    }

    static func addTruncated(to layer: inout LayerCases) throws {
        try refuse(&layer, "empty", "no bytes", rule: "HT-CBOR-15", item: "", failure: "truncated")
        let items = [
            ("head", "18"), ("two-bytes", "1901"), ("four-bytes", "1a010203"), ("eight-bytes", "1b01020304050607"),
            ("bytes", "43aabb"), ("text", "636162"), ("array", "8201"), ("map-key", "a1"), ("map-value", "a101"),
            ("map-second", "a2010002"), ("bytes-length", "58"), ("nested", "8182"),
        ]
        for (slug, item) in items {
            try refuse(
                &layer, "truncated-\(slug)", "the input ends too early (\(slug))", rule: "HT-CBOR-15", item: item,
                failure: "truncated")
        }
        let claims = [
            ("bytes-4-gib", "5affffffff"), ("bytes-64-bit", "5bffffffffffffffff"),
            ("text-64-bit", "7bffffffffffffffff"), ("bytes-63-bit", "5b7fffffffffffffff"),
        ]
        for (slug, head) in claims {
            try refuse(
                &layer, "truncated-claim-\(slug)", "a length far beyond the input must not be allocated",
                rule: "HT-CBOR-18", item: head + "00", failure: "truncated")
        }
        let longer = [("zero", "0000"), ("after-map", "a000"), ("after-text", "616100"), ("second-item", "f5f5")]
        for (slug, items) in longer {
            try refuse(
                &layer, "trailing-\(slug)", "bytes after the item", rule: "HT-CBOR-16", item: items,
                failure: "trailing-bytes")
        }
    }

    /// Lengths that are not stated, types that CTAP2 does not use, and bytes that are no CBOR.
    static func addForms(to layer: inout LayerCases) throws {
        let indefinite = [
            ("bytes", "5f4100ff"), ("text", "7f6161ff"), ("array", "9f01ff"), ("map", "bf0101ff"),
            ("empty-array", "9fff"),
        ]
        for (slug, item) in indefinite {
            try refuse(
                &layer, "indefinite-\(slug)", "indefinite length: \(slug)", rule: "HT-CBOR-10", item: item,
                failure: "not-canonical", flags: [.notCanonicalCBOR])
        }
        let unsupported = [
            ("half", "f93c00"), ("single", "fa3f800000"), ("double", "fb3ff0000000000000"), ("undefined", "f7"),
            ("simple-16", "f0"), ("simple-255", "f8ff"), ("tag", "c000"), ("tag-2", "c24101"),
            ("tag-55799", "d9d9f700"),
        ]
        for (slug, item) in unsupported {
            try refuse(
                &layer, "unsupported-\(slug)", "a type that CTAP2 does not use: \(slug)",
                rule: slug.hasPrefix("tag") ? "HT-CBOR-13" : "HT-CBOR-23", item: item, failure: "unsupported")
        }
        let malformed = [
            ("reserved-28", "1c"), ("reserved-29", "5d"), ("reserved-30", "be"), ("break", "ff"),
            ("break-in-array", "8201ff"), ("indefinite-integer", "1f"), ("simple-0-in-2", "f800"),
            ("true-in-2", "f815"),
        ]
        for (slug, item) in malformed {
            try refuse(
                &layer, "malformed-\(slug)", "no CBOR at all: \(slug)", rule: "HT-CBOR-14", item: item,
                failure: "malformed")
        }
    }

    static func addTexts(to layer: inout LayerCases) throws {
        let texts = [
            ("lone-continuation", "6180"), ("overlong", "62c080"), ("surrogate", "63eda080"), ("cut", "62e282"),
            ("above-10ffff", "64f4908080"), ("ff", "61ff"),
        ]
        for (slug, text) in texts {
            try refuse(
                &layer, "text-\(slug)", "text that is not UTF-8: \(slug)", rule: "HT-CBOR-17", item: text,
                failure: "invalid-text")
        }
    }

    static func addDepths(to layer: inout LayerCases) throws {
        for (slug, head) in [("arrays", "81"), ("maps", "a100")] {
            let item = String(repeating: head, count: depth) + "00"
            try refuse(
                &layer, "deep-\(slug)", "\(depth) \(slug) in one another", rule: "HT-CBOR-19", item: item,
                failure: "too-deep")
        }
    }

    /// More than any reader's stack should have to hold.
    private static let depth = 256

    private static func refuse(
        _ layer: inout LayerCases, _ slug: String, _ comment: String, rule: String, item: String, failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            slug, comment, rule: rule, operation: "cbor.canonical", input: ["cbor": .string(item)], failure: failure,
            flags: flags)
    }
}
