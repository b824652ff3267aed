internal import CBOR

// First messages that are refused (PROTOCOL.md 7.1).

extension MessageCases {
    mutating func addRefusedFirstMessages() throws {
        try refuseFirst("empty", "no bytes", plaintext: [], "invalid-cbor")
        try addFeatureMismatches()
        let noMaps: [(String, CBORValue)] = [
            ("array", [.bytes(Self.info)]), ("bytes", .bytes(Self.info)), ("integer", 1), ("text", "ctap"),
            ("null", .null),
        ]
        for (slug, value) in noMaps {
            try refuseFirst("not-a-map-\(slug)", "the first message is a \(slug)", value, "not-a-map")
        }
        try addMalformedFirstMessages()
        try addMistypedFirstMessages()
    }

    private mutating func addFeatureMismatches() throws {
        let info = CBORValue.bytes(Self.info)
        func refuse(_ slug: String, _ comment: String, _ message: CBORValue) throws {
            try refuseFirst(slug, comment, message, "feature-mismatch")
        }
        try refuse("empty-map", "no getInfo, though ctap is implied", [:])
        try refuse("ctap-without-info", "ctap among the features, and no getInfo", [3: ["ctap"]])
        try refuse("ctap-dc-without-info", "both features, and no getInfo", [3: ["ctap", "dc"]])
        try refuse("info-without-ctap", "getInfo, but only dc", [1: info, 3: ["dc"]])
        try refuse("info-no-features", "getInfo, and an empty list of features", [1: info, 3: []])
        try refuse("info-unknown-feature", "getInfo, and only an unknown feature", [1: info, 3: ["teleport"]])
        try refuse("feature-case", "CTAP is not ctap", [1: info, 3: ["CTAP"]])
        try refuse("filler-only", "only filler", [0: .bytes(.zeros(16))])
    }

    private mutating func addMalformedFirstMessages() throws {
        let info = CBORValue.bytes(Self.info).encoded()
        let message: CBORValue = [1: .bytes(Self.info), 3: ["ctap"]]
        let data = message.encoded()
        for count in [1, 2, 10, data.count - 1] {
            try refuseFirst(
                "cut-at-\(count)", "cut to \(count) bytes of \(data.count)", plaintext: Array(data.prefix(count)),
                "invalid-cbor", flags: [.tamper])
        }
        try refuseFirst(
            "type-byte", "a type byte in front, which the first message has not", plaintext: [0x01] + data,
            "invalid-cbor", flags: [.order])
        try refuseFirst(
            "trailing", "a byte behind that is no padding count either", plaintext: data + [0xFF], "invalid-cbor")
        try refuseFirst(
            "unsorted", "keys out of order", plaintext: [0xA2, 0x03, 0x81, 0x64] + Array("ctap".utf8) + [0x01] + info,
            "invalid-cbor", flags: [.notCanonicalCBOR], certainty: .implied)
        try refuseFirst(
            "duplicate", "key 1 twice", plaintext: [0xA2, 0x01] + info + [0x01] + info, "invalid-cbor",
            flags: [.notCanonicalCBOR], certainty: .implied)
        try refuseFirst(
            "indefinite", "a map of indefinite length", plaintext: [0xBF, 0x01] + info + [0xFF], "invalid-cbor",
            flags: [.notCanonicalCBOR], certainty: .implied)
    }

    private mutating func addMistypedFirstMessages() throws {
        let info = CBORValue.bytes(Self.info)
        let noBytes: [(String, CBORValue)] = [
            ("map", [1: 2]), ("text", "info"), ("integer", 4), ("null", .null), ("array", []),
        ]
        for (slug, value) in noBytes {
            try refuseFirst("info-\(slug)", "key 1 is not bytes (\(slug))", [1: value], "wrong-type")
        }
        let noMaps: [(String, CBORValue)] = [
            ("bytes", .bytes([0xA0])), ("integer", 1), ("null", .null), ("array", []), ("bool", true),
        ]
        for (slug, value) in noMaps {
            try refuseFirst(
                "linking-\(slug)", "key 2 is not a map (\(slug))", [1: info, 2: value], "wrong-type",
                certainty: .implied)
        }
        let noArrays: [(String, CBORValue)] = [
            ("text", "ctap"), ("integer", 1), ("null", .null), ("map", ["ctap": true]),
            ("bytes", .bytes(Array("ctap".utf8))),
        ]
        for (slug, value) in noArrays {
            try refuseFirst("features-\(slug)", "key 3 is not an array (\(slug))", [1: info, 3: value], "wrong-type")
        }
        let notTexts: [(String, CBORValue)] = [
            ("integer", 1), ("bytes", .bytes(Array("dc".utf8))), ("null", .null),
        ]
        for (slug, value) in notTexts {
            try refuseFirst(
                "features-with-\(slug)", "key 3 holds something that is not text (\(slug))",
                [1: info, 3: ["ctap", value]], "wrong-type")
        }
    }

    private mutating func refuseFirst(
        _ slug: String,
        _ comment: String,
        _ message: CBORValue,
        _ failure: String,
        certainty: Certainty = .certain
    ) throws {
        try refuseFirst(slug, comment, plaintext: message.encoded(), failure, certainty: certainty)
    }

    mutating func refuseFirst(
        _ slug: String,
        _ comment: String,
        plaintext: [UInt8],
        _ failure: String,
        rule: String = "7.1",
        flags: [CaseFlag] = [],
        certainty: Certainty = .certain
    ) throws {
        try layer.invalid(
            "first-\(slug)", comment, rule: rule, "first-message.parse", ["plaintext": .hex(plaintext)],
            failure: failure, flags: flags, certainty: certainty)
    }
}
