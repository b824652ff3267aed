internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The layer `transport`: padding and sealing after the handshake (the article Framing of HybridProtocol).
struct TransportCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "transport", prefix: "transport", about: "Padding and sealing of the messages after the handshake.")
    /// The key of the direction whose frames these are.
    let key: [UInt8]

    private init(_ seed: VectorSeed) throws {
        self.seed = seed
        key = seed.bytes("transport/key", Self.keyByteCount)
    }

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = try Self(seed)
        try cases.addPadding()
        try cases.addUnpadding()
        try cases.addOverlongPadding()
        try cases.addSealing()
        try cases.addOpening()
        try cases.addRefusals()
        try cases.addSequences()
        try cases.addOldConstruction()
        try cases.addTags()
        try cases.addNonces()
        try cases.addOtherCiphers()
        return cases.layer
    }

    static let keyByteCount = TransportKeys.keyByteCount
    /// A small message: the CTAP command getInfo.
    static let getInfo: [UInt8] = [0x01, 0x04]

    /// The input of a case that opens a frame.
    func opening(_ frame: [UInt8], counter: UInt32 = 0, key: [UInt8]? = nil) -> CaseFields {
        ["key": .hex(key ?? self.key), "counter": .integer(counter), "frame": .hex(frame)]
    }

    /// The frame that an honest sender makes of a message.
    func sealed(_ message: [UInt8], counter: UInt32 = 0) throws -> [UInt8] {
        try CraftedFrame.seal(message, key: key, counter: counter)
    }
}

// Frames that are made.

extension TransportCases {
    private mutating func addSealing() throws {
        for counter in [0, 1, 255, 256, 65535, 65536, CraftedFrame.lastCounter] {
            let message = seed.bytes("transport/seal/\(counter)", 40)
            try seal(
                "counter-\(counter)", "counter \(counter), big-endian in the last four nonce bytes", rule: "HT-FRM-11",
                message: message, counter: counter,
                flags: [0, CraftedFrame.lastCounter].contains(counter) ? [.boundary] : [])
        }
        for count in [0, 1, 31, 32, 1000, 16384] {
            try seal(
                "length-\(count)", "a message of \(count) bytes", rule: "HT-FRM-10",
                message: seed.bytes("transport/lengths", count))
        }
        for counter: UInt32 in [CraftedFrame.lastCounter + 1, CraftedFrame.lastCounter + 2, 1 << 31, .max] {
            try layer.invalid(
                "seal-counter-\(counter)", "counter \(counter): refuse to encrypt", rule: "HT-FRM-14",
                operation: "transport.seal",
                input: ["key": .hex(key), "counter": .integer(counter), "message": .hex([0])],
                failure: "counter-exhausted",
                flags: counter == CraftedFrame.lastCounter + 1 ? [.boundary] : [])
        }
    }

    private mutating func seal(
        _ slug: String, _ comment: String, rule: String, message: [UInt8], counter: UInt32 = 0, flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "seal-\(slug)", comment, rule: rule, operation: "transport.seal",
            input: ["key": .hex(key), "counter": .integer(counter), "message": .hex(message)], flags: flags)
    }
}

// Frames that open.

extension TransportCases {
    private mutating func addOpening() throws {
        for counter in [0, 1, 256, 65536, CraftedFrame.lastCounter] {
            try open(
                "counter-\(counter)", "counter \(counter)", rule: "HT-FRM-11",
                frame: sealed(Self.getInfo, counter: counter), counter: counter,
                flags: counter == CraftedFrame.lastCounter ? [.boundary] : [])
        }
        for count in [0, 31, 32, 4096] {
            try open(
                "length-\(count)", "a message of \(count) bytes", rule: "HT-FRM-3",
                frame: sealed(seed.bytes("transport/open", count)))
        }
        try open(
            "smallest", "the smallest honest frame, 48 bytes", rule: "HT-FRM-2", frame: sealed([0]), flags: [.boundary])
        let typeOutside = Self.getInfo.prefix(1) + CraftedFrame.padded(Array(Self.getInfo.dropFirst()))
        try open(
            "libwebauthn", "a plaintext of 33 bytes: the type byte before the padded rest",
            rule: "HT-FRM-6", frame: CraftedFrame.seal(plaintext: Array(typeOutside), key: key),
            flags: [.lenient, .foreign])
        let update = [0x02] + seed.bytes("update", 510)
        try open(
            "512", "an update of exactly 512 bytes of plaintext", rule: "HT-FRM-3",
            frame: CraftedFrame.seal(plaintext: CraftedFrame.padded(update), key: key))
        try open(
            "count-200", "200 zeros at once", rule: "HT-FRM-8",
            frame: CraftedFrame.seal(plaintext: CraftedFrame.padded(Self.getInfo, zeroCount: 200), key: key),
            flags: [.lenient])
    }

    private mutating func open(
        _ slug: String, _ comment: String, rule: String, frame: [UInt8], counter: UInt32 = 0, flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "open-\(slug)", comment, rule: rule, operation: "transport.open",
            input: opening(frame, counter: counter), flags: flags)
    }
}
