internal import CBOR
internal import JSON

// Every refusal of the map's contents (PROTOCOL.md 1.3).

extension InvitationCases {
    mutating func addRefused() throws {
        try addMissingAndMistyped()
        try addPoints()
        try addTypes()
        try addChannelTypes()
        try addShapes()
        try addNotCanonical()
    }

    private mutating func addMissingAndMistyped() throws {
        try refuse("no-public-key", "key 0 is missing", full.with(Key.publicKey, nil), failure: "missing-field")
        try refuse("no-secret", "key 1 is missing", full.with(Key.secret, nil), failure: "missing-field")
        try refuse("empty-map", "an empty map", [:], failure: "missing-field")
        let keys: [(slug: String, key: CBORValue, number: Int, textLength: Int, bool: Bool)] = [
            ("public-key", Key.publicKey, 0, compressedKey.count, true),
            ("secret", Key.secret, 1, Self.secretByteCount, false),
        ]
        for (slug, key, number, textLength, bool) in keys {
            let values: [(slug: String, value: CBORValue)] = [
                ("integer", 42), ("text", .text(String(repeating: "x", count: textLength))), ("array", [1]),
                ("null", .null), ("map", [1: 1]), ("bool", .bool(bool)),
            ]
            for (type, value) in values {
                try refuse(
                    "\(slug)-\(type)", "key \(number) is a \(type)", full.with(key, value), failure: "wrong-type")
            }
        }
        for count in [0, 1, 15, 17, 32] {
            let secret = try seed.bytes("s", count)
            try refuse(
                "secret-\(count)-bytes", "a secret of \(count) bytes", full.with(Key.secret, .bytes(secret)),
                failure: "wrong-length")
        }
    }

    private mutating func addPoints() throws {
        let (form, x) = (compressedKey[0], Array(compressedKey.dropFirst()))
        let lengths: [(slug: String, point: [UInt8])] = [
            ("empty", []), ("32-bytes", compressedKey.dropLast()), ("34-bytes", compressedKey + [0]), ("x-only", x),
            ("one-byte", [0]),
        ]
        for (slug, point) in lengths {
            try refusePoint(
                slug, "key 0 of another length (\(point.count) bytes)", point, failure: "wrong-length")
        }
        try refusePoint(
            "uncompressed", "key 0 in the uncompressed form, 65 bytes", publicKey, failure: "wrong-length")
        let noPointsX = CraftedPoint.offCurveByX(publicKey)[CraftedPoint.x]
        let prime = CraftedPoint.primeAsX(publicKey)[CraftedPoint.x]
        let (evenY, oddY): (UInt8, UInt8) = (2, 3)
        let points: [(slug: String, point: [UInt8], comment: String)] = [
            ("off-curve", [form] + noPointsX, "no point of the curve has this X"),
            ("off-curve-other-sign", [evenY + oddY - form] + noPointsX, "nor with the other sign"),
            ("x-above-prime", [evenY] + .ones(x.count), "X is not below the field's prime"),
            ("x-is-prime", [evenY] + prime, "X equals the field's prime"),
            ("all-zero", .zeros(compressedKey.count), "33 zero bytes: the form byte is 00"),
            ("form-01", [0x01] + x, "form byte 01"),
            ("form-04", [0x04] + x, "form byte 04 on 33 bytes"),
            ("form-05", [0x05] + x, "form byte 05"),
            ("form-06", [0x06] + x, "form byte 06 (hybrid form) on 33 bytes"),
            ("form-ff", [0xff] + x, "form byte ff"),
        ]
        for (slug, point, comment) in points {
            try refusePoint(slug, comment, point, failure: "invalid-point")
        }
    }

    private mutating func addTypes() throws {
        let knownDomains: [(slug: String, value: CBORValue)] = [
            ("text", "foo"), ("bytes", .bytes([2])), ("bool", true), ("null", .null), ("array", [2]), ("map", [:]),
        ]
        for (slug, value) in knownDomains {
            try refuse(
                "known-domains-\(slug)", "key 2 is a \(slug)", full.with(Key.knownDomains, value),
                failure: "wrong-type")
        }
        try refuse(
            "known-domains-negative", "key 2 is a negative integer", full.with(Key.knownDomains, -1),
            failure: "wrong-type")
        let linking: [(slug: String, value: CBORValue)] = [
            ("text", "true"), ("bytes", .bytes([1])), ("zero", 0), ("one", 1), ("null", .null), ("array", [true]),
        ]
        for (slug, value) in linking {
            try refuse(
                "linking-\(slug)", "key 4 is not a bool (\(slug))", full.with(Key.linking, value),
                failure: "wrong-type")
        }
        let hints: [(slug: String, value: CBORValue)] = [
            ("integer", 42), ("bytes", .bytes(Array("ga".utf8))), ("bool", false), ("null", .null), ("array", ["ga"]),
        ]
        for (slug, value) in hints {
            try refuse(
                "hint-\(slug)", "key 5 is not text (\(slug))", full.with(Key.hint, value), failure: "wrong-type")
        }
    }

    private mutating func addChannelTypes() throws {
        let values: [(slug: String, value: CBORValue)] = [
            ("integer", 1), ("text", "0"), ("bytes", .bytes([0])), ("map", [0: 1]), ("null", .null),
        ]
        for (slug, value) in values {
            try refuse(
                "channels-\(slug)", "key 6 is neither an array nor a bool (\(slug))",
                full.with(Key.channels, value), failure: "wrong-type", certainty: .implied)
        }
        let elements: [(slug: String, value: CBORValue)] = [
            ("text", [0, "1"]), ("negative", [0, -1]), ("bool", [true]), ("array", [[0]]),
        ]
        for (slug, value) in elements {
            try refuse(
                "channels-\(slug)-inside", "key 6 holds something that is not an unsigned integer",
                full.with(Key.channels, value), failure: "wrong-type", certainty: .implied)
        }
    }

    private mutating func addShapes() throws {
        let items: [(slug: String, item: CBORValue)] = [
            ("integer", 1), ("text", "FIDO"), ("bytes", .bytes(.zeros(20))), ("null", .null), ("bool", true),
        ]
        for (slug, item) in items {
            try refuse("not-a-map-\(slug)", "the contents are a \(slug)", item.encoded(), failure: "not-a-map")
        }
        try refuse(
            "not-a-map-array", "the fields as an array instead of a map",
            CBORValue.array(full.entries.map(\.value)).encoded(), failure: "not-a-map")
        let data = full.encoded()
        try refuse("empty", "no bytes", [], failure: "invalid-cbor")
        for count in [1, 2, 3, 17, 36, data.count - 1] {
            try refuse(
                "cut-at-\(count)", "the map ends after \(count) bytes of \(data.count)", Array(data.prefix(count)),
                failure: "invalid-cbor")
        }
        let tails: [(slug: String, bytes: [UInt8])] = [("zero", [0]), ("map", [0xa0]), ("itself", data)]
        for (slug, bytes) in tails {
            try refuse("trailing-\(slug)", "bytes follow the map", data + bytes, failure: "invalid-cbor")
        }
    }

    private mutating func refusePoint(
        _ slug: String, _ comment: String, _ point: [UInt8], failure: String
    ) throws {
        try refuse(
            "public-key-\(slug)", comment, full.with(Key.publicKey, .bytes(point)), failure: failure,
            flags: [.curve])
    }

    private mutating func refuse(
        _ slug: String, _ comment: String, _ map: CBORMap, failure: String, flags: [CaseFlag] = [],
        certainty: Certainty = .certain
    ) throws {
        try refuse(slug, comment, map.encoded(), failure: failure, flags: flags, certainty: certainty)
    }

    mutating func refuse(
        _ slug: String, _ comment: String, _ cbor: [UInt8], failure: String, flags: [CaseFlag] = [],
        certainty: Certainty = .certain
    ) throws {
        try layer.invalid(
            slug, comment, rule: Self.rule, "invitation.decode", ["cbor": .hex(cbor)], failure: failure, flags: flags,
            certainty: certainty)
    }
}
