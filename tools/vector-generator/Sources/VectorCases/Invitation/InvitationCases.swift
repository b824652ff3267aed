internal import Conformance
internal import Cryptography
internal import Encodings

/// The layer qr-contents: the article QR code of HybridProtocol. Texts and refusals are in other files.
struct InvitationCases {
    typealias Key = InvitationKey

    static let secretByteCount = 16
    private static let time: Int64 = 1_795_262_400

    let seed: VectorSeed
    var layer: LayerCases
    /// The client's public key, uncompressed: 65 bytes.
    let publicKey: [UInt8]
    /// The same, as the QR code has it: 33 bytes.
    let compressedKey: [UInt8]
    /// Keys 0 to 5, as Chromium writes them.
    let full: CBORMap

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = try InvitationCases(seed)
        try cases.addAccepted()
        try cases.addUnknownKeys()
        try cases.addHints()
        try cases.addChannels()
        try cases.addTexts()
        try cases.addEncodings()
        try cases.addRefused()
        return cases.layer
    }

    private init(_ seed: VectorSeed) throws {
        self.seed = seed
        layer = LayerCases("qr-contents", prefix: "contents", about: "The text of the QR code and the CBOR map in it.")
        publicKey = try seed.publicKey("invitation")
        compressedKey = try CraftedPoint.compressed(publicKey)
        full = [
            Key.publicKey: .bytes(compressedKey),
            Key.secret: .bytes(seed.bytes("invitation/secret", Self.secretByteCount)), Key.knownDomains: 2,
            Key.time: CBORValue(Self.time), Key.linking: false, Key.hint: "ga",
        ]
    }

    private var wholeRule: String { "HT-QR-54" }
    private var timeRule: String { "HT-QR-34" }
    private var unknownRule: String { "HT-QR-17" }
    private var channelsRule: String { "HT-QR-46" }

    private mutating func addAccepted() throws {
        try decode("all-keys", "keys 0 to 5, as Chromium writes them", rule: wholeRule, map: full)
        try decode("all-keys-and-channels", "keys 0 to 6", rule: channelsRule, map: full.with(Key.channels, [0, 1]))
        let required: CBORMap = [
            Key.publicKey: .bytes(compressedKey), Key.secret: full[Key.secret] ?? .null,
        ]
        try decode("required-keys-only", "keys 0 and 1; everything else has a default", rule: "HT-QR-47", map: required)
        for point in [compressedKey, try keyOfOtherForm()] {
            let form = "0\(point[0])"
            try decode(
                "point-prefix-\(form)", "a compressed point that begins with \(form)", rule: wholeRule,
                map: full.with(Key.publicKey, .bytes(point)))
        }
        for count in [0, 1, 2, 23, 24, 0xff, 0x100, 0xffff, 0x1_0000, Int64(UInt32.max)] {
            try decode(
                "known-domains-\(count)", "the client says that it knows \(count) assigned domains",
                rule: "HT-QR-30",
                map: full.with(Key.knownDomains, CBORValue(count)))
        }
        let times: [(slug: String, time: Int64)] = [
            ("zero", 0), ("32-bit", Int64(UInt32.max)), ("after-2038", Int64(Int32.max) + 1),
            ("after-2106", Int64(UInt32.max) + 1),
        ]
        for (slug, time) in times {
            try decode(
                "time-\(slug)", "Unix time \(time): nobody checks it", rule: timeRule,
                map: full.with(Key.time, CBORValue(time)),
                flags: [.boundary])
        }
        try decode("time-absent", "no time", rule: "HT-QR-33", map: full.with(Key.time, nil))
        let otherTypes: [(slug: String, time: CBORValue)] = [
            ("text", "now"), ("negative", -1), ("bytes", .bytes([0])), ("bool", true),
        ]
        for (slug, time) in otherTypes {
            try decode(
                "time-\(slug)", "the time is a \(slug): no implementation looks", rule: timeRule,
                map: full.with(Key.time, time),
                flags: [.lenient])
        }
        try decode(
            "linking-true", "key 4 true: state-assisted transactions offered", rule: "HT-QR-37",
            map: full.with(Key.linking, true))
        try decode(
            "linking-absent", "key 4 absent is not the same as false", rule: "HT-QR-36",
            map: full.with(Key.linking, nil))
        try decode(
            "all-zero-secret", "a secret of zeros is a secret", rule: wholeRule,
            map: full.with(Key.secret, .bytes(.zeros(Self.secretByteCount))))
    }

    private mutating func addUnknownKeys() throws {
        let unknown: [(slug: String, comment: String, key: CBORValue, value: CBORValue)] = [
            ("7", "7", 7, 1), ("23", "23", 23, "x"), ("24", "24", 24, .bytes([UInt8(ascii: "x")])),
            ("255", "255", 255, []), ("1000", "1000", 1000, 42), ("65535", "65535", 65535, 0),
            ("minus-1", "-1", -1, true), ("str", "'extra'", "extra", [1: 2]),
            ("bytes", #"b'\x00'"#, .bytes([0]), .null),
        ]
        for (slug, comment, key, value) in unknown {
            try decode(
                "unknown-key-\(slug)", "an unknown key (\(comment)) is ignored", rule: unknownRule,
                map: full.with(key, value))
        }
        try decode(
            "unknown-keys-several", "several unknown keys", rule: unknownRule,
            map: full.with(7, 0).with(8, 1).with(0xffff, 0).with("a", "b"))
    }

    private mutating func addHints() throws {
        for hint in ["ga", "mc", "dcp", "dci"] {
            try decode("hint-\(hint)", "hint \(hint)", rule: "HT-QR-39", map: full.with(Key.hint, .text(hint)))
        }
        try decode("hint-absent", "no hint reads as ga", rule: "HT-QR-41", map: full.with(Key.hint, nil))
        let unknown = [
            ("unknown", "xx"), ("empty", ""), ("upper-case", "MC"), ("longer", "mcx"),
            ("long", String(repeating: "x", count: 40)),
        ]
        for (slug, hint) in unknown {
            try decode(
                "hint-\(slug)", "an unknown hint (\(slug)) reads as ga", rule: "HT-QR-40",
                map: full.with(Key.hint, .text(hint)))
        }
    }

    private mutating func addChannels() throws {
        let known: [(slug: String, channels: CBORValue, comment: String)] = [
            ("websocket", [0], "WebSocket only"), ("both", [0, 1], "WebSocket and BLE"),
            ("ble", [1], "BLE only, without the fallback that should be there"),
            ("unordered", [1, 0], "the order has no meaning"),
        ]
        for (slug, channels, comment) in known {
            try decode(
                "channels-\(slug)", comment, rule: channelsRule, map: full.with(Key.channels, channels))
        }
        let others: [(slug: String, channels: CBORValue, comment: String)] = [
            ("unknown-skipped", [0, 7], "an unknown channel is skipped"),
            ("unknown-first", [2, 1, 0], "an unknown channel before the known ones"),
            ("unknown-large", [0, 0x1_0000_0000], "an unknown channel of a large number"),
            ("repeated", [0, 0], "a channel twice is that channel"),
        ]
        for (slug, channels, comment) in others {
            try decode(
                "channels-\(slug)", comment, rule: "HT-QR-49", map: full.with(Key.channels, channels),
                flags: [.lenient])
        }
        let odd: [(slug: String, channels: CBORValue)] = [
            ("integer", 1), ("text", "0"), ("bytes", .bytes([0])), ("map", [0: 1]), ("null", .null),
            ("of-text", [0, "1"]), ("of-negative", [1, -1]), ("of-bool", [true]), ("of-array", [[0]]),
        ]
        for (slug, channels) in odd {
            try decode(
                "channels-absent-\(slug)", "key 6 is no list of channels (\(slug)): it reads as absent",
                rule: "HT-QR-51", map: full.with(Key.channels, channels), flags: [.lenient])
        }
        for (slug, channels) in [("none", [] as CBORValue), ("unknown", [7])] {
            try decode(
                "channels-absent-\(slug)", "key 6 lists no known channel (\(slug)): it reads as absent",
                rule: "HT-QR-50", map: full.with(Key.channels, channels), flags: [.lenient])
        }
        for value in [true, false] {
            try decode(
                "channels-bool-\(value)", "key 6 was once a bool of another meaning: it reads as absent",
                rule: "HT-QR-48",
                map: full.with(Key.channels, .bool(value)), flags: [.lenient, .foreign])
        }
    }

    private mutating func addRefused() throws {
        let honest = HonestInvitation(map: full, publicKey: try P256.PublicKey(x963: publicKey.span)) { [seed] in
            seed.bytes("s", $0)
        }
        try layer.invalid(
            InvitationMalformations.fields + InvitationMalformations.encodings, of: honest,
            operation: "invitation.decode"
        ) { ["cbor": .hex($0)] }
    }

    /// A compressed point whose Y has the other lowest bit.
    private func keyOfOtherForm() throws -> [UInt8] {
        var (index, point) = (0, compressedKey)
        while point[0] == compressedKey[0] {
            point = try CraftedPoint.compressed(try seed.publicKey("odd/\(index)"))
            index += 1
        }
        return point
    }

    private mutating func decode(
        _ slug: String, _ comment: String, rule: String, map: CBORMap, flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            slug, comment, rule: rule, operation: "invitation.decode", input: ["cbor": .hex(map.encoded())],
            flags: flags)
    }
}
