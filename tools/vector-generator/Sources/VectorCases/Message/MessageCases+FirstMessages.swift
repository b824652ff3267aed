internal import Conformance
internal import Encodings

// The first message: accepted, refused and written (the article Messages of HybridProtocol).

extension MessageCases {
    /// A getInfo response.
    static let info: [UInt8] = {
        let aaguid: [UInt8] = [
            0xF2, 0x4A, 0x8E, 0x70, 0xD0, 0xD3, 0xF8, 0x2C, 0x29, 0x37, 0x32, 0x52, 0x3C, 0xC4, 0xDE, 0x5A,
        ]
        let info: CBORValue = [
            1: ["FIDO_2_0", "FIDO_2_1"], 3: .bytes(aaguid), 4: ["rk": true, "uv": true], 9: ["internal", "hybrid"],
        ]
        return info.encoded()
    }()

    /// A linking map of zeros: a first message is read without a look into it.
    static let linkingMapOfZeros: CBORValue = [
        1: .bytes(Array("contact".utf8)), 2: .bytes(.zeros(8)), 3: .bytes(.zeros(32)), 4: .bytes([4] + .zeros(64)),
        5: "Phone", 6: .bytes(.zeros(32)),
    ]

    mutating func addFirstMessages() throws {
        try addAcceptedFirstMessages()
        try addLenientFirstMessages()
        try layer.invalid(
            FirstMessageMalformations.all, of: Self.info, prefix: "first-", operation: "first-message.parse"
        ) { ["plaintext": .hex($0)] }
        try addRevision0()
        try addWrittenFirstMessages()
    }

    private mutating func addAcceptedFirstMessages() throws {
        let info = CBORValue.bytes(Self.info)
        try acceptFirst("info-only", "getInfo alone: ctap is implied", rule: "HT-MSG-6", message: [1: info])
        try acceptFirst("ctap", "getInfo and the feature ctap", rule: "HT-MSG-4", message: [1: info, 3: ["ctap"]])
        try acceptFirst(
            "ctap-dc", "both features, as an iPhone of 2026", rule: "HT-DC-2", message: [1: info, 3: ["ctap", "dc"]])
        try acceptFirst(
            "dc-ctap", "both features in the other order, as microG", rule: "HT-DC-2",
            message: [1: info, 3: ["dc", "ctap"]], flags: [.foreign])
        try acceptFirst("dc-only", "digital credentials only: no getInfo", rule: "HT-DC-6", message: [3: ["dc"]])
        try acceptFirst(
            "no-features", "an empty list of features and no getInfo", rule: "HT-MSG-6", message: [3: []])
    }

    private mutating func addLenientFirstMessages() throws {
        let info = CBORValue.bytes(Self.info)
        try acceptFirst(
            "unknown-feature", "an unknown feature is ignored", rule: "HT-MSG-9",
            message: [1: info, 3: ["ctap", "teleport"]], flags: [.lenient])
        try acceptFirst(
            "unknown-feature-first", "an unknown feature before the known ones", rule: "HT-MSG-9",
            message: [1: info, 3: ["", "x", "ctap", "dc"]], flags: [.lenient])
        try acceptFirst(
            "unknown-feature-only", "only an unknown feature, and no getInfo", rule: "HT-MSG-9",
            message: [3: ["teleport"]])
        for (type, value) in [("integer", 1), ("bytes", .bytes(Array("dc".utf8))), ("null", .null)]
            as [(String, CBORValue)]
        {
            try acceptFirst(
                "feature-\(type)-skipped", "a feature that is not text is skipped (\(type))", rule: "HT-MSG-50",
                message: [1: info, 3: [value, "ctap"]], flags: [.lenient])
        }
        try acceptFirst(
            "feature-twice", "a feature twice is that feature", rule: "HT-MSG-4",
            message: [1: info, 3: ["ctap", "ctap"]], flags: [.lenient])
        try acceptFirst(
            "filler", "zero filler in key 0", rule: "HT-MSG-11",
            message: [0: .bytes(.zeros(300)), 1: info, 3: ["ctap"]])
        try acceptFirst("filler-empty", "filler of no bytes", rule: "HT-MSG-11", message: [0: .bytes([]), 1: info])
        try acceptFirst(
            "linking-in-key-2", "the older place of the linking map, still read", rule: "HT-MSG-47",
            message: [1: info, 2: Self.linkingMapOfZeros])
        try acceptFirst(
            "linking-empty", "an empty linking map in key 2: to be dropped later, not here",
            rule: "HT-MSG-47", message: [1: info, 2: [:]])
        try acceptFirst(
            "unknown-key", "an unknown key is ignored", rule: "HT-MSG-10", message: [1: info, 4: "x", 99: []],
            flags: [.lenient])
        try acceptFirst(
            "unknown-text-key", "an unknown text key is ignored", rule: "HT-MSG-10", message: [1: info, "x": 1],
            flags: [.lenient])
        try acceptFirst(
            "info-empty", "getInfo of no bytes: its contents are for CTAP to judge", rule: "HT-MSG-12",
            message: [1: .bytes([])])
        try acceptFirst(
            "info-with-status", "getInfo with a status byte in front: wrong, and for CTAP to judge",
            rule: "HT-MSG-12", message: [1: .bytes([0x00] + Self.info)])
    }

    private mutating func addWrittenFirstMessages() throws {
        try writeFirst("ctap", rule: "HT-MSG-3", Self.info, ["ctap"])
        try writeFirst("ctap-dc", rule: "HT-MSG-4", Self.info, ["ctap", "dc"])
        try writeFirst("dc", rule: "HT-DC-2", nil, ["dc"])
    }

    private mutating func writeFirst(
        _ slug: String, rule: String, _ info: [UInt8]?, _ features: [String]
    ) throws {
        try layer.valid(
            "first-encode-\(slug)", "write a first message: \(slug)", rule: rule, operation: "first-message.encode",
            input: [
                "get_info": info.map { .hex($0) } ?? .null,
                "features": .array(features.map { .string($0) }),
            ])
    }

    private mutating func acceptFirst(
        _ slug: String,
        _ comment: String,
        rule: String,
        message: CBORValue,
        flags: [CaseFlag] = []
    ) throws {
        try acceptFirst(
            slug, comment, plaintext: message.encoded(), rule: rule, flags: flags)
    }

    mutating func acceptFirst(
        _ slug: String,
        _ comment: String,
        plaintext: [UInt8],
        rule: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "first-\(slug)", comment, rule: rule, operation: "first-message.parse",
            input: ["plaintext": .hex(plaintext)],
            flags: flags)
    }
}
